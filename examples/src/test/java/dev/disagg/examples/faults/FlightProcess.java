// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import dev.disagg.examples.FlightDelays;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** FlightDelays in a process of its own. What it prints is read by a thread here. */
final class FlightProcess implements AutoCloseable {
    /** The exit code of a process that SIGKILL ended, as shells say it. */
    static final int KILLED = 128 + 9;

    static final int TERMINATED = 128 + 15;
    private static final long LIMIT_SECONDS = 300;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Void> read;

    private FlightProcess(Process process) {
        this.process = process;
        this.read = CompletableFuture.runAsync(this::readAll, runnable -> new Thread(runnable, "output").start());
    }

    /** Starts one; {@code systemProperties} are {@code name=value}. */
    static FlightProcess start(List<String> systemProperties, List<String> args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // These processes end before the second compiler pays.
        command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(
                List.of("--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED"));
        systemProperties.forEach(property -> command.add("-D" + property));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FlightDelays.class.getName()));
        command.add("--runner=DisaggRunner");
        command.addAll(args);
        return new FlightProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private void readAll() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            synchronized (lines) {
                lines.add("(output can not be read: " + e + ")");
            }
        } finally {
            synchronized (lines) {
                lines.notifyAll();
            }
        }
    }

    /** Waits until it has printed such a line; fails when it ends without. */
    String awaitLine(Predicate<String> wanted) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        int at = 0;
        synchronized (lines) {
            while (true) {
                for (; at < lines.size(); at++) {
                    if (wanted.test(lines.get(at))) {
                        return lines.get(at);
                    }
                }
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                if (leftMillis <= 0 || !process.isAlive() && read.isDone()) {
                    throw new AssertionError(
                            "the process never said what was waited for:\n" + String.join("\n", lines));
                }
                lines.wait(Math.min(leftMillis, 1000));
            }
        }
    }

    /** Waits for its end. */
    int exit() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the process did not end in " + LIMIT_SECONDS + " s:\n" + output());
        }
        read.join();
        return process.exitValue();
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    String output() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
