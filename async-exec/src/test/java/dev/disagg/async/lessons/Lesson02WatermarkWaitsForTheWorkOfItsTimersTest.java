// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.Computation;
import dev.disagg.async.Epoch;
import dev.disagg.async.EpochScan;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A watermark is not released before the asynchronous work of its timers has ended. */
class Lesson02WatermarkWaitsForTheWorkOfItsTimersTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void watermarkWaitsForTheReadsOfItsTimers(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot slot = new KeySlot();
            List<Epoch> sealed = new ArrayList<>();
            boolean[] admitted = new boolean[1];
            EpochScan scan = () -> {
                if (admitted[0]) {
                    return EpochScan.Step.EXHAUSTED;
                }
                admitted[0] = true;
                Computation fire = script.fetched("fire", 500, () -> {
                    script.read(500);
                    script.note("fired");
                });
                script.task.admitTo(sealed.get(0), slot, fire);
                return EpochScan.Step.MORE;
            };
            script.input(() -> sealed.add(script.task.seal("W1", scan))).runToEnd();
            assertThat(script.events, contains("fire", "fired", "released W1"));
        }
    }
}
