// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;

/**
 * The child JVM: reads one {@code limit-in-seconds TAB class#method} a line from standard input, runs it with JUnit 4 and answers on standard output, until the input ends.
 *
 * <p>Answers: {@link #READY} once; then for each test {@link #BEGIN} and {@link #OUTCOME}, or {@link #LAST} when the test hangs and the JVM ends itself. Whatever the
 * tests print goes to standard error.
 */
final class TestServer {

    static final String READY = "##ready";
    static final String BEGIN = "##begin\t";
    static final String OUTCOME = "##outcome\t";
    static final String LAST = "##last\t";

    /** On a machine with other work a test may take up to this many times its limit. */
    static final int MOST_CROWDED = 5;

    private static final int HUNG_EXIT_CODE = 86;
    private static final int FRAMES_IN_REASON = 3;

    private final PrintStream answers;
    private final Path counters = Path.of(System.getProperty(DelayCounters.FILE_PROPERTY));
    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "conformance-watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private TestServer(PrintStream answers) {
        this.answers = answers;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        new TestServer(answers).serve();
        System.exit(0);
    }

    private void serve() throws IOException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        answers.println(READY);
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            String[] fields = question.split("\t");
            long limitSeconds = Long.parseLong(fields[0]);
            String test = fields[1];
            answers.println(BEGIN + test);
            System.err.println("======== " + test);
            run(test, limitSeconds);
        }
    }

    private void run(String test, long limitSeconds) throws IOException {
        Thread runner = Thread.currentThread();
        long countersOffset = counters.toFile().length();
        long startNanos = System.nanoTime();
        AtomicBoolean decided = new AtomicBoolean();
        Future<?> watch = watchdog.scheduleAtFixedRate(
                () -> {
                    double limit = limitSeconds * crowding();
                    if (millisSince(startNanos) >= 1000 * limit && decided.compareAndSet(false, true)) {
                        endHung(test, runner, startNanos);
                    }
                },
                limitSeconds,
                1,
                TimeUnit.SECONDS);
        String reason = failureOf(test);
        if (decided.compareAndSet(false, true)) {
            watch.cancel(false);
            Status status = reason.isEmpty() ? Status.PASS : Status.FAIL;
            long millis = millisSince(startNanos);
            DelayCounters counted = DelayCounters.readFrom(counters, countersOffset);
            answers.println(OUTCOME + new Outcome(test, status, millis, reason, counted).toLine());
        } else {
            // The watchdog is reporting this test and ends the JVM; another answer would be one too many.
            parkUntilTheEnd();
        }
    }

    /** Runs a test; says why it failed, or nothing. */
    private static String failureOf(String test) {
        int hash = test.indexOf('#');
        Result result;
        try {
            Class<?> testClass = Class.forName(test.substring(0, hash));
            result = new JUnitCore()
                    .run(Request.aClass(testClass).filterWith(new MethodFilter(test.substring(hash + 1))));
        } catch (ClassNotFoundException | LinkageError e) {
            e.printStackTrace();
            return "cannot load the test class: " + e;
        }
        for (Failure failure : result.getFailures()) {
            System.err.println("-------- " + failure.getTestHeader() + "\n" + failure.getTrace());
        }
        if (!result.wasSuccessful()) {
            Failure first = result.getFailures().get(0);
            String more = result.getFailureCount() == 1 ? "" : " (and " + (result.getFailureCount() - 1) + " more)";
            return describe(first) + more;
        }
        if (result.getRunCount() == 0 || result.getIgnoreCount() > 0 || result.getAssumptionFailureCount() > 0) {
            return "did not run in full: run " + result.getRunCount() + ", ignored " + result.getIgnoreCount()
                    + ", assumption not met " + result.getAssumptionFailureCount();
        }
        return "";
    }

    private static String describe(Failure failure) {
        Throwable error = failure.getException();
        Throwable root = error;
        for (int depth = 0; depth < 20 && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return root == error ? error.toString() : error + " <- " + root;
    }

    private void endHung(String test, Thread runner, long startNanos) {
        Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
        long seconds = millisSince(startNanos) / 1000;
        System.err.println("-------- " + test + " has run for " + seconds + " s; the threads that are at work:");
        stacks.forEach((thread, frames) -> {
            if (thread == runner || isOfInterest(frames)) {
                System.err.println("\"" + thread.getName() + "\" " + thread.getState());
                Arrays.stream(frames).forEach(frame -> System.err.println("    at " + frame));
            }
        });
        StackTraceElement[] own = stacks.getOrDefault(runner, new StackTraceElement[0]);
        String where = Arrays.stream(own)
                .filter(frame -> !frame.getClassName().matches("(java|jdk|org\\.junit)\\..*"))
                .limit(FRAMES_IN_REASON)
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
        String reason = "timed out after " + seconds + " s; its thread is at " + where;
        System.err.flush();
        answers.println(LAST + new Outcome(test, Status.FAIL, millisSince(startNanos), reason).toLine());
        answers.flush();
        Runtime.getRuntime().halt(HUNG_EXIT_CODE);
    }

    /** How much longer everything takes because the machine has more to run than processors: at least 1, at most {@link #MOST_CROWDED}. */
    private static double crowding() {
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        double perProcessor = machine.getSystemLoadAverage() / machine.getAvailableProcessors();
        return Math.max(1, Math.min(MOST_CROWDED, perProcessor));
    }

    /** Threads that run the product or Beam; a pool's idle threads have no such frame. */
    private static boolean isOfInterest(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .anyMatch(frame -> frame.getClassName().startsWith("dev.disagg.")
                        || frame.getClassName().startsWith("org.apache.beam."));
    }

    private static void parkUntilTheEnd() {
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long millisSince(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    /** Keeps one method, whatever parameters JUnit's runners append to its name: {@code name}, {@code name[0]}, {@code name[x=1]}. */
    private static final class MethodFilter extends Filter {

        private final String method;

        MethodFilter(String method) {
            this.method = method;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (!description.isTest()) {
                return description.getChildren().stream().anyMatch(this::shouldRun);
            }
            String name = description.getMethodName();
            return name != null && (name.equals(method) || name.startsWith(method + "["));
        }

        @Override
        public String describe() {
            return "method " + method;
        }
    }
}
