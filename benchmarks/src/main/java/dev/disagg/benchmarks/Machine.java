// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What a figure is worth nothing without: machine, Java, commit. */
final class Machine {
    private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
    private static final Path LOAD = Path.of("/proc/loadavg");

    private Machine() {}

    static List<String> lines() throws IOException, InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        return List.of(
                "machine: " + runtime.availableProcessors() + " processors, " + processor() + ", "
                        + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch") + ", load " + load(),
                "java: " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version")
                        + String.format(Locale.ROOT, ", heap at most %d MiB", runtime.maxMemory() >> 20),
                "commit: " + git("rev-parse", "HEAD")
                        + (git("status", "--porcelain", "-uno").isEmpty() ? "" : ", with changes"));
    }

    private static String processor() throws IOException {
        if (!Files.isReadable(PROCESSOR)) {
            return "unknown processor";
        }
        return Files.readAllLines(PROCESSOR).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown processor");
    }

    private static String load() throws IOException {
        return Files.isReadable(LOAD) ? Files.readString(LOAD).strip() : "unknown";
    }

    private static String git(String... arguments) throws InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            boolean ended = process.waitFor(10, TimeUnit.SECONDS);
            return ended && process.exitValue() == 0 ? answer : "unknown";
        } catch (IOException e) {
            return "unknown (" + e.getMessage() + ")";
        }
    }
}
