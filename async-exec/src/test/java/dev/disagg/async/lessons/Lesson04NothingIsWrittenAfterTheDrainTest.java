// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.Computation;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is started ends before the snapshot and nothing runs behind it; the end of input finishes what is started too. */
class Lesson04NothingIsWrittenAfterTheDrainTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everythingStartedAndDerivedEndsBeforeTheDrainAndNothingRunsAfterIt(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot slot = new KeySlot();
            Computation derived = script.fetched("derived", 200, () -> {
                script.read(200);
                script.note("derived ends");
            });
            script.input(() -> script.task.admit(slot, script.fetched("started", 200, () -> {
                        script.read(200);
                        script.task.admit(slot, derived);
                    })))
                    .input(script.task::requestDrain)
                    .input(() -> script.task.admit(slot, script.resident("behind the barrier", () -> {})));
            script.task.start();
            script.simulation.run(() -> script.events.contains("drained"), Script.MAX_STEPS);
            assertThat(script.events, contains("started", "derived", "derived ends", "drained"));
            script.simulation.after(
                    5000,
                    () -> script.task.execute(() -> {
                        script.note("opened");
                        script.task.resumeInput();
                    }));
            script.input(script.task::shutdown).runUntilTerminated();
            assertThat(
                    script.events,
                    contains("started", "derived", "derived ends", "drained", "opened", "behind the barrier"));
        }
    }

    @Test
    void shutdownFinishesWhatIsStarted() {
        try (Script script = Script.unruly(1)) {
            script.input(() -> script.task.admit(new KeySlot(), script.fetched("started", 100, () -> {
                        script.read(100);
                        script.note("finished");
                    })))
                    .runToEnd();
            assertThat(script.events, contains("started", "finished"));
        }
    }
}
