// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a delayed pass asks of each test of state, timers or test streams besides passing: that its task was handed over at least once because a read of state waited.
 *
 * @param withoutReads tests that read no state, each with the reason; of these no hand-over is asked
 */
record HandOvers(Map<String, String> withoutReads) {

    static final Path FILE = Path.of("without-state-reads.tsv");

    HandOvers {
        withoutReads = Map.copyOf(withoutReads);
    }

    /** What is asked in {@code configuration} of {@code runner}. */
    static Judge judge(Configuration configuration, String runner) throws IOException {
        if (configuration != Configuration.DELAYED || !runner.equals(ConformanceOptions.OWN_RUNNER)) {
            return (test, outcome) -> outcome;
        }
        List<String> lines = Files.exists(FILE) ? Files.readAllLines(FILE) : List.of();
        return new HandOvers(ExpectedFailures.parse(lines))::judged;
    }

    /** Turns the outcome of a test into that which counts. */
    interface Judge {
        Outcome judged(BeamTest test, Outcome outcome);
    }

    Outcome judged(BeamTest test, Outcome outcome) {
        if (outcome.status() != Status.PASS) {
            return outcome;
        }
        DelayCounters counters = outcome.counters();
        if (withoutReads.containsKey(test.name())) {
            return counters.reads() == 0
                    ? outcome
                    : failed(outcome, "reads state (" + counters.reads() + "), but " + FILE + " says that it does not");
        }
        return test.isInAny(Selection.STATE_CATEGORIES) && counters.handOvers() == 0
                ? failed(outcome, "passed, but no task was handed over in " + counters.reads() + " reads of state")
                : outcome;
    }

    private static Outcome failed(Outcome outcome, String reason) {
        return new Outcome(outcome.test(), Status.FAIL, outcome.millis(), reason, outcome.counters());
    }
}
