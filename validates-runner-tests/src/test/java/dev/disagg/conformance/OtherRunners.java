// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What other runners say of themselves in Beam's public matrix, copied: {@code section TAB capability} and one column a runner, whose names stand in the first line.
 *
 * @param names of the runners
 * @param claims by section and capability, in the order of the names; empty where a runner says nothing
 */
record OtherRunners(List<String> names, Map<List<String>, List<String>> claims) {

    static final Path FILE = Path.of("matrix", "others.tsv");

    OtherRunners {
        names = List.copyOf(names);
        claims = Map.copyOf(claims);
    }

    static OtherRunners read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        List<String> heading = List.of(lines.get(0).split("\t", -1));
        Map<List<String>, List<String>> claims = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> fields = List.of(line.split("\t", -1));
            if (fields.size() != heading.size()) {
                throw new IllegalArgumentException("other runners: not " + heading.size() + " fields: " + line);
            }
            claims.put(fields.subList(0, 2), fields.subList(2, fields.size()));
        }
        return new OtherRunners(heading.subList(2, heading.size()), claims);
    }

    /** The claims about one row; nothing when Beam's matrix has no such row. */
    List<String> about(MatrixRow row) {
        return claims.getOrDefault(
                List.of(row.section(), row.capability()),
                names.stream().map(name -> "").toList());
    }
}
