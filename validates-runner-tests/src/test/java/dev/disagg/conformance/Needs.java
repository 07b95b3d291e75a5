// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What some tests need beyond the others, from a file of {@code class#method TAB needs TAB reason} lines; empty lines and lines that begin with {@code #} are comments.
 *
 * <p>Needs, separated by blanks: {@code limit=SECONDS}, a longer time; {@code lane=own}, a JVM of its own, which starts at once and beside the others, for a test that
 * sleeps; {@code option=--NAME=VALUE}, another option of its pipelines; {@code real-time}, to run by itself behind all others, warmed up and more than once if it
 * must, for a test that measures real time and fails when the machine is slow (see {@link Attempts}).
 */
record Needs(Map<String, Need> byTest) {

    static final Path FILE = Path.of("needs.tsv");

    private static final Need NOTHING = new Need(OptionalLong.empty(), false, false, List.of());

    /** What one test needs. */
    record Need(OptionalLong limitSeconds, boolean ownLane, boolean realTime, List<String> options) {

        Need {
            options = List.copyOf(options);
        }
    }

    Needs {
        byTest = Map.copyOf(byTest);
    }

    static Needs read(Path file) throws IOException {
        return parse(Files.readAllLines(file));
    }

    static Needs parse(List<String> lines) {
        Map<String, Need> byTest = new TreeMap<>();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split("\t");
            if (fields.length != 3 || fields[2].isBlank()) {
                throw new IllegalArgumentException(
                        "needs: a line is 'class#method TAB needs TAB reason', and the reason is not empty: " + line);
            }
            if (byTest.put(fields[0], need(fields[1], line)) != null) {
                throw new IllegalArgumentException("needs: listed twice: " + fields[0]);
            }
        }
        return new Needs(byTest);
    }

    private static Need need(String text, String line) {
        OptionalLong limitSeconds = OptionalLong.empty();
        boolean ownLane = false;
        boolean realTime = false;
        List<String> options = new ArrayList<>();
        for (String part : text.split(" ")) {
            if (part.matches("limit=[1-9][0-9]{0,3}")) {
                limitSeconds = OptionalLong.of(Long.parseLong(part.substring("limit=".length())));
            } else if (part.equals("lane=own")) {
                ownLane = true;
            } else if (part.equals("real-time")) {
                realTime = true;
            } else if (part.matches("option=--[a-zA-Z]+=.+")) {
                options.add(part.substring("option=".length()));
            } else {
                throw new IllegalArgumentException("needs: '" + part
                        + "' is neither limit=SECONDS nor lane=own nor real-time nor option=--NAME=VALUE, in: " + line);
            }
        }
        return new Need(limitSeconds, ownLane, realTime, options);
    }

    boolean ownLane(BeamTest test) {
        return of(test).ownLane();
    }

    boolean realTime(BeamTest test) {
        return of(test).realTime();
    }

    /** How long {@code test} may take, when others may take {@code usual}. */
    long limitSeconds(BeamTest test, long usual) {
        return Math.max(usual, of(test).limitSeconds().orElse(0));
    }

    /** Options of its pipelines, beside those that all get. */
    List<String> options(BeamTest test) {
        return of(test).options();
    }

    private Need of(BeamTest test) {
        return byTest.getOrDefault(test.name(), NOTHING);
    }
}
