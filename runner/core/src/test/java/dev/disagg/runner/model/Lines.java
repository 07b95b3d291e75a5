// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.TypeDescriptors;

/** Lines of text, in collections and in files. */
final class Lines {
    private Lines() {}

    static MapElements<String, String> firstWord() {
        return MapElements.into(TypeDescriptors.strings()).via(line -> line.split(" ")[0]);
    }

    /** All lines of all files below a directory, each with its file's first letters up to a dash in front; sorted. */
    static List<String> below(Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                String name = file.getFileName().toString().split("-")[0];
                Files.readAllLines(file).forEach(line -> lines.add(name + ":" + line));
            }
        }
        lines.sort(null);
        return lines;
    }
}
