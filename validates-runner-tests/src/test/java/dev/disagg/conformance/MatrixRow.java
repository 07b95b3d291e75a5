// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A row of the capability matrix, as it is kept by hand: {@code section TAB capability TAB support TAB notes TAB proofs}, the last separated by blanks.
 *
 * @param support yes, partly or no
 */
record MatrixRow(String section, String capability, String support, String notes, List<Proof> proofs) {

    static final Path FILE = Path.of("matrix", "rows.tsv");

    private static final Set<String> SUPPORT = Set.of("yes", "partly", "no");

    MatrixRow {
        proofs = List.copyOf(proofs);
    }

    static List<MatrixRow> read(Path file) throws IOException {
        List<MatrixRow> rows = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                rows.add(parse(line));
            }
        }
        return rows;
    }

    static MatrixRow parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 5 || !SUPPORT.contains(fields[2])) {
            throw new IllegalArgumentException(
                    "matrix rows: not 'section TAB capability TAB yes|partly|no TAB notes TAB proofs': " + line);
        }
        return new MatrixRow(
                fields[0],
                fields[1],
                fields[2],
                fields[3],
                Arrays.stream(fields[4].split(" "))
                        .filter(text -> !text.isEmpty())
                        .map(Proof::new)
                        .toList());
    }
}
