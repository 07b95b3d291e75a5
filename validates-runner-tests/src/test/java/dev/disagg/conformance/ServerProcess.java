// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One running {@link TestServer}, seen from the parent. Used by one thread. */
final class ServerProcess {

    private static final long GRACE_SECONDS = 30;

    /** Beam and the encoders it uses look into these packages by reflection. */
    private static final List<String> OPENS = List.of(
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/sun.nio.ch");

    private final Process process;
    private final BufferedReader answers;
    private final Writer questions;
    private final Path log;
    private boolean serving = true;
    private String stray = "";

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.questions = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        this.log = log;
    }

    /**
     * Starts a child JVM and waits until it takes tests.
     *
     * @throws IllegalStateException when it ends before; the message names the log
     */
    static ServerProcess start(ConformanceOptions options, Path directory, int lane)
            throws IOException, InterruptedException {
        Path log = directory.resolve("lane-" + lane + ".log");
        Path temporary = Files.createDirectories(
                directory.resolve("lane-" + lane + "-tmp").toAbsolutePath());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + options.heap());
        command.add("-XX:+ExitOnOutOfMemoryError");
        // A collector without regions: keys of 100 MB leave no room in a region heap of 4 GB. Each child has a core to
        // itself.
        command.add("-XX:+UseSerialGC");
        command.add("-XX:ErrorFile=" + directory.resolve("hs_err_%p.log").toAbsolutePath());
        OPENS.forEach(packages -> command.add("--add-opens=" + packages + "=ALL-UNNAMED"));
        command.add("-Djava.io.tmpdir=" + temporary);
        command.add("-DbeamTestPipelineOptions=" + options.beamTestPipelineOptions());
        command.add("-D" + DelayCounters.FILE_PROPERTY + "="
                + directory.resolve("lane-" + lane + ".counters").toAbsolutePath());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(TestServer.class.getName());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        ServerProcess server = new ServerProcess(process, log);
        for (String line = server.answers.readLine();
                !TestServer.READY.equals(line);
                line = server.answers.readLine()) {
            if (line == null) {
                throw new IllegalStateException("the child JVM did not start (exit code " + process.waitFor() + "; "
                        + server.stray + "); see " + log);
            }
            server.stray = line;
        }
        return server;
    }

    /** Whether it takes another test. */
    boolean isServing() {
        return serving;
    }

    /** Runs one test to its outcome; empty when the JVM had ended before it began the test. */
    Optional<Outcome> run(String test, long limitSeconds) throws IOException, InterruptedException {
        long startNanos = System.nanoTime();
        CompletableFuture<?> lastResort = new CompletableFuture<>()
                .completeOnTimeout(null, limitSeconds * TestServer.MOST_CROWDED + GRACE_SECONDS, TimeUnit.SECONDS)
                .thenRun(process::destroyForcibly);
        try {
            return ask(test, limitSeconds, startNanos);
        } finally {
            lastResort.cancel(false);
        }
    }

    private Optional<Outcome> ask(String test, long limitSeconds, long startNanos)
            throws IOException, InterruptedException {
        if (!send(limitSeconds + "\t" + test)) {
            serving = false;
            return Optional.empty();
        }
        boolean begun = false;
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.equals(TestServer.BEGIN + test)) {
                begun = true;
            } else if (line.startsWith(TestServer.OUTCOME)) {
                return Optional.of(Outcome.parse(line.substring(TestServer.OUTCOME.length())));
            } else if (line.startsWith(TestServer.LAST)) {
                serving = false;
                return Optional.of(Outcome.parse(line.substring(TestServer.LAST.length())));
            } else {
                stray = line;
            }
        }
        serving = false;
        if (!begun) {
            return Optional.empty();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        String said = stray.isEmpty() ? "" : " (" + stray + ")";
        return Optional.of(new Outcome(
                test,
                Status.FAIL,
                millis,
                "the JVM ended with code " + process.waitFor() + said + "; see " + log.getFileName()));
    }

    /** Whether the line could be written; a JVM that has ended takes none. */
    private boolean send(String line) {
        try {
            questions.write(line + "\n");
            questions.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends the JVM: its input ends, and when that is not enough it is killed. */
    void stop() throws IOException, InterruptedException {
        try {
            questions.close();
        } catch (IOException e) {
            // The pipe of a JVM that has ended cannot be flushed; it is gone all the same.
        }
        if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        answers.close();
    }
}
