// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program in a process of its own whose heap is small. */
final class SmallHeap {
    private static final long LIMIT_SECONDS = 300;

    private SmallHeap() {}

    /** Holds that {@code program} ends well in this heap, and says {@code expected}. */
    static void run(int heapMegabytes, Class<?> program, List<String> arguments, String expected)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile("small-heap-", ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(log);
            assertThat("ended by itself: " + output, ended, is(true));
            assertThat(output, process.exitValue(), is(0));
            assertThat(output, containsString(expected));
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(log);
        }
    }
}
