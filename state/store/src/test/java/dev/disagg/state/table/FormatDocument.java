// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The drawings in {@code docs/format/table.md}, which tests compare with the code. */
final class FormatDocument {
    private FormatDocument() {}

    /** The fenced block whose fence reads {@code ```text <name>}. */
    static String block(String name) {
        Path document = Path.of("../../docs/format/table.md");
        try {
            String text = Files.readString(document);
            String fence = "```text " + name + "\n";
            int start = text.indexOf(fence);
            if (start < 0) {
                throw new AssertionError(document + " has no block named " + name);
            }
            start += fence.length();
            return text.substring(start, text.indexOf("```", start));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
