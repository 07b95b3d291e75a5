// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Texts kept beside the tests. {@code -Dgolden.rewrite=true} writes them anew, to be looked at in the diff. */
final class Golden {
    private static final Path FOLDER = Path.of("src", "test", "resources", "dev", "disagg", "runner", "graph");

    private Golden() {}

    static void assertEqual(String name, String text) {
        Path file = FOLDER.resolve(name + ".txt");
        try {
            if (Boolean.getBoolean("golden.rewrite")) {
                Files.createDirectories(FOLDER);
                Files.writeString(file, text);
            }
            assertThat(file + " (-Dgolden.rewrite=true writes it anew)", text, is(Files.readString(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
