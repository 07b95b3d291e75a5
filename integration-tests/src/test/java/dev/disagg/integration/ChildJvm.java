// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A Java process with the class path of this one. A thread here keeps what it prints. */
public final class ChildJvm implements AutoCloseable {
    /** The exit code of a process that SIGKILL ended, as shells say it. */
    public static final int KILLED = 128 + 9;

    private static final long LIMIT_SECONDS = 120;

    /** Beam and its coders look into these packages by reflection. */
    private static final List<String> OPENS = List.of("java.lang", "java.lang.invoke", "java.nio", "java.util");

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;
    private boolean ended;

    private ChildJvm(Process process) {
        this.process = process;
        this.reader = new Thread(this::readAll, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts {@code main} in {@code directory}. {@code heap} as {@code -Xmx} takes it. */
    public static ChildJvm start(Path directory, String heap, String main, List<String> args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // These processes end before the second compiler pays.
        command.addAll(List.of("-Xmx" + heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        OPENS.forEach(opened -> command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(args);
        return new ChildJvm(new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start());
    }

    private void readAll() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            add("(output can not be read: " + e + ")");
        } finally {
            synchronized (lines) {
                ended = true;
                lines.notifyAll();
            }
        }
    }

    private void add(String line) {
        synchronized (lines) {
            lines.add(line);
            lines.notifyAll();
        }
    }

    /** Waits until it has printed such a line; fails when it ends without. */
    public String awaitLine(Predicate<String> wanted) throws InterruptedException {
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
                if (ended || leftMillis <= 0) {
                    throw new AssertionError(
                            "the process never said what was waited for:\n" + String.join("\n", lines));
                }
                lines.wait(leftMillis);
            }
        }
    }

    /** Waits for its end; returns the exit code. */
    public int exit() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the process did not end in " + LIMIT_SECONDS + " s:\n" + output());
        }
        reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        return process.exitValue();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** What it has printed. */
    public String output() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    /** Kills it and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
