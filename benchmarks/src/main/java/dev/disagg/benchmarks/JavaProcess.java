// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Runs a main class of this module in a Java process of its own, with this process's class path and access to packages. */
public final class JavaProcess {
    private static final int KEPT_LINES = 40;
    private static final String RESULT = "RESULT ";
    private static final String THREADS = "THREADS ";

    /** What a process has printed: numbers by name, and where its processor time went. */
    public record Result(Map<String, Double> values, String threads) {
        /**
         * A number.
         *
         * @throws IllegalStateException when the process printed none of this name
         */
        public double get(String name) {
            Double value = values.get(name);
            if (value == null) {
                throw new IllegalStateException("there is no " + name + " in " + values);
            }
            return value;
        }
    }

    private JavaProcess() {}

    /** The {@code java} of this process. */
    public static Path thisJava() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /**
     * Waits for the process's end.
     *
     * @param java the program
     * @param jvmOptions such as {@code -Xmx2g}
     * @param minutes after which it is killed
     * @throws IllegalStateException when it fails, is killed, or was to print a line {@code RESULT name=value...} and did not
     */
    public static Result run(
            Path java, List<String> jvmOptions, Class<?> main, List<String> arguments, long minutes, boolean prints)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.onExit().orTimeout(minutes, TimeUnit.MINUTES).exceptionally(tooLong -> {
            process.destroyForcibly();
            return process;
        });
        Thread killer = new Thread(process::destroyForcibly, "bench-kill");
        Runtime.getRuntime().addShutdownHook(killer);
        Deque<String> last = new ArrayDeque<>();
        Map<String, Double> values = new TreeMap<>();
        String threads = "";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(RESULT)) {
                    for (String word : line.substring(RESULT.length()).split(" ")) {
                        String[] pair = word.split("=", 2);
                        values.put(pair[0], Double.valueOf(pair[1]));
                    }
                } else if (line.startsWith(THREADS)) {
                    threads = line.substring(THREADS.length());
                }
                last.add(line);
                if (last.size() > KEPT_LINES) {
                    last.remove();
                }
            }
        }
        int code = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(killer);
        if (code != 0 || prints && values.isEmpty()) {
            throw new IllegalStateException(main.getSimpleName() + " " + String.join(" ", arguments) + " failed with "
                    + code + ", or took longer than " + minutes + " minutes:\n" + String.join("\n", last));
        }
        return new Result(values, threads);
    }
}
