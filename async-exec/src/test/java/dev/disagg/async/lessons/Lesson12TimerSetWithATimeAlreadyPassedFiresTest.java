// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.EpochScan;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import org.junit.jupiter.api.Test;

/** A timer that asynchronous work sets for a time already passed fires before the watermark is released. */
class Lesson12TimerSetWithATimeAlreadyPassedFiresTest {
    private static final EpochScan NOTHING = () -> EpochScan.Step.EXHAUSTED;

    @Test
    void timersSetWithATimeAlreadyPassedFireBeforeTheWatermarkIsReleased() {
        try (Script script = Script.unruly(3)) {
            KeySlot slot = new KeySlot();
            int[] left = {5};
            Runnable[] fire = new Runnable[1];
            fire[0] = () -> {
                script.read(100);
                if (left[0]-- > 0) {
                    script.task.admitTo(
                            script.task.current().epoch(), slot, script.resident("fire " + left[0], fire[0]));
                }
            };
            script.input(() -> script.task.admit(slot, script.resident("element", fire[0])))
                    .input(() -> script.task.seal("W1", NOTHING))
                    .runToEnd();
            assertThat(
                    script.events,
                    contains("element", "fire 4", "fire 3", "fire 2", "fire 1", "fire 0", "released W1"));
        }
    }
}
