// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file {@code conformance.tsv} while it grows; each line is on the file system before the next test begins. Not thread-safe. */
final class OutcomeTable implements AutoCloseable {

    private final BufferedWriter writer;

    private OutcomeTable(BufferedWriter writer) {
        this.writer = writer;
    }

    static OutcomeTable create(Path file) throws IOException {
        OutcomeTable table = new OutcomeTable(Files.newBufferedWriter(file));
        table.writeLine(Outcome.HEADING);
        return table;
    }

    /** Replaces {@code file} by the whole table. */
    static void write(Path file, List<Outcome> outcomes) throws IOException {
        try (OutcomeTable table = create(file)) {
            outcomes.forEach(table::append);
        }
    }

    void append(Outcome outcome) {
        try {
            writeLine(outcome.toLine());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the result of " + outcome.test(), e);
        }
    }

    private void writeLine(String line) throws IOException {
        writer.write(line);
        writer.newLine();
        writer.flush();
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
