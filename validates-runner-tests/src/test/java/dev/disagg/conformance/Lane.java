// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs its share of the tests in order, in one child JVM. A JVM that hangs or dies is replaced, and so is one in which a test has failed, for it may have left a pipeline
 * running, and one whose next test needs other options. Every test gets exactly one outcome. Used by one thread.
 */
final class Lane {

    /** How often a test is offered to a new JVM when the one before ended without having begun it. */
    private static final int OFFERS = 3;

    private final ConformanceOptions options;
    private final Needs needs;
    private final Path directory;
    private final int number;
    private @Nullable ServerProcess server;
    private List<String> serverOptions = List.of();

    Lane(ConformanceOptions options, Needs needs, Path directory, int number) {
        this.options = options;
        this.needs = needs;
        this.directory = directory;
        this.number = number;
    }

    void run(List<BeamTest> tests, Consumer<Outcome> sink) throws IOException, InterruptedException {
        try {
            for (BeamTest test : tests) {
                sink.accept(run(test, false));
            }
        } finally {
            stop();
        }
    }

    /** Runs a test that measures real time: see {@link Attempts}. No more once its JVM was lost: that has nothing to do with time. */
    Attempts attempt(BeamTest test) throws IOException, InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        try {
            do {
                outcomes.add(run(test, true));
            } while (server != null
                    && outcomes.size() <= Attempts.MOST
                    && (outcomes.size() == 1
                            || outcomes.get(outcomes.size() - 1).status() != Status.PASS));
        } finally {
            stop();
        }
        return new Attempts(outcomes);
    }

    private Outcome run(BeamTest test, boolean keepWhatFailed) throws IOException, InterruptedException {
        if (!needs.options(test).equals(serverOptions)) {
            stop();
            serverOptions = needs.options(test);
        }
        for (int offer = 0; offer < OFFERS; offer++) {
            if (server == null) {
                server = ServerProcess.start(options.with(serverOptions), directory, number);
            }
            Optional<Outcome> outcome = server.run(test.name(), needs.limitSeconds(test, options.limitSeconds()));
            if (!server.isServing()) {
                stop();
            }
            if (outcome.isPresent()) {
                if (outcome.get().status() == Status.FAIL && !keepWhatFailed) {
                    stop();
                }
                return outcome.get();
            }
        }
        return new Outcome(test.name(), Status.FAIL, 0, "the JVM ended " + OFFERS + " times before it began this test");
    }

    private void stop() throws IOException, InterruptedException {
        if (server != null) {
            server.stop();
            server = null;
        }
    }
}
