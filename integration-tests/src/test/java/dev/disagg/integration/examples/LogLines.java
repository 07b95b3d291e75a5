// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the examples log while this is open: for many of them, their only output. */
final class LogLines extends Handler implements AutoCloseable {
    private static final Logger EXAMPLES = Logger.getLogger("org.apache.beam.examples");

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private LogLines() {
        setLevel(Level.ALL);
    }

    static LogLines open() {
        LogLines lines = new LogLines();
        EXAMPLES.addHandler(lines);
        EXAMPLES.setLevel(Level.ALL);
        EXAMPLES.setUseParentHandlers(false);
        return lines;
    }

    @Override
    public void publish(LogRecord record) {
        lines.add(record.getMessage());
    }

    List<String> sorted() {
        synchronized (lines) {
            return lines.stream().sorted().toList();
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        EXAMPLES.removeHandler(this);
        EXAMPLES.setLevel(null);
        EXAMPLES.setUseParentHandlers(true);
    }
}
