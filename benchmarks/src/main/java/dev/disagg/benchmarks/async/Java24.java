// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** A Java of version 24 or later, where virtual threads may park inside {@code synchronized}. */
final class Java24 {
    static final String MISSING =
            "there is no JDK 24 or later: name one with --java24=HOME or JAVA24_HOME, or start with it";
    private static final int LEAST_VERSION = 24;

    private Java24() {}

    /**
     * The program: what is asked for, else what JAVA24_HOME names, else this process's, else one beside it.
     *
     * @throws IllegalArgumentException when what is asked for is not one
     */
    static Optional<Path> find(Optional<String> asked) throws IOException {
        if (asked.isPresent()) {
            return Optional.of(program(Path.of(asked.get()))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "--java24=" + asked.get() + " is not the home of a JDK 24 or later")));
        }
        List<Path> homes = new ArrayList<>();
        String named = System.getenv("JAVA24_HOME");
        if (named != null) {
            homes.add(Path.of(named));
        }
        Path mine = Path.of(System.getProperty("java.home")).toRealPath();
        homes.add(mine);
        Path parent = mine.getParent();
        if (parent != null) {
            try (Stream<Path> beside = Files.list(parent)) {
                beside.sorted().forEach(homes::add);
            }
        }
        for (Path home : homes) {
            Optional<Path> program = program(home);
            if (program.isPresent()) {
                return program;
            }
        }
        return Optional.empty();
    }

    private static Optional<Path> program(Path home) throws IOException {
        Path release = home.resolve("release");
        Path program = home.resolve("bin").resolve("java");
        if (!Files.isReadable(release) || !Files.isExecutable(program)) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(release)) {
            properties.load(in);
        }
        String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return Integer.parseInt(version.split("[.+-]")[0]) >= LEAST_VERSION ? Optional.of(program) : Optional.empty();
    }
}
