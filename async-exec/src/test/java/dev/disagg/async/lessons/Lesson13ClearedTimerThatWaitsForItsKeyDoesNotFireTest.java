// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.Epoch;
import dev.disagg.async.EpochScan;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A due timer that waits for its busy key can still be cleared. */
class Lesson13ClearedTimerThatWaitsForItsKeyDoesNotFireTest {
    /** A scan that met its timer took it out and let it wait for the busy key would fire a cleared timer. */
    @Test
    void aDueTimerClearedWhileItWaitsForItsBusyKeyDoesNotFire() {
        try (Script script = Script.orderly(options -> options)) {
            KeySlot slot = new KeySlot();
            boolean[] timerSet = {true};
            List<Epoch> sealed = new ArrayList<>();
            boolean[] scanned = new boolean[1];
            EpochScan scan = () -> {
                if (scanned[0]) {
                    return EpochScan.Step.EXHAUSTED;
                }
                scanned[0] = true;
                script.task.admitTo(sealed.get(0), slot, script.resident("fire", () -> {
                    if (timerSet[0]) {
                        script.note("fired");
                    }
                }));
                return EpochScan.Step.MORE;
            };
            script.input(() -> script.task.admit(
                            slot, script.fetched("clears the timer", 1000, () -> timerSet[0] = false)))
                    .input(() -> sealed.add(script.task.seal("W1", scan)))
                    .runToEnd();
            assertThat(script.events, contains("clears the timer", "fire", "released W1"));
        }
    }
}
