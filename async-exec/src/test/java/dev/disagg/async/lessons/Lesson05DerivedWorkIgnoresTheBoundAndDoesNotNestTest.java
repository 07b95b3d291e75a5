// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.async.Computation;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Derived work never waits for the in-flight bound, and a long queue does not become a deep stack. */
class Lesson05DerivedWorkIgnoresTheBoundAndDoesNotNestTest {
    @Test
    void derivedWorkRunsAtTheInFlightBound() {
        try (Script script = Script.unruly(1, options -> options.withMaxInFlight(1))) {
            for (int i = 0; i < 5; i++) {
                Computation grandchild = script.resident("grandchild", () -> {});
                Computation child = script.fetched("child", 100, () -> script.task.admit(new KeySlot(), grandchild));
                Computation parent = script.fetched("parent", 100, () -> {
                    script.task.admit(new KeySlot(), child);
                    script.read(100);
                });
                script.input(() -> script.task.admit(new KeySlot(), parent));
            }
            script.runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, hasSize(15));
            assertThat(script.task.metrics().admissionStalls(), greaterThan(0L));
        }
    }

    @Test
    void aHundredThousandComputationsOfOneKeyDoNotNest() {
        try (Script script = Script.orderly(options -> options.withMaxInFlight(200_000))) {
            KeySlot slot = new KeySlot();
            int[] deepest = new int[1];
            script.input(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            script.task.admit(
                                    slot, script.resident("c", () -> deepest[0] = Math.max(deepest[0], stackDepth())));
                        }
                    })
                    .runToEnd();
            assertThat(script.events, hasSize(100_000));
            assertThat(deepest[0], lessThanOrEqualTo(40));
        }
    }

    @Test
    void aChainOfDerivedWorkAndAStormOfArrivedReadsDoNotNest() {
        try (Script script = Script.orderly(options -> options.withMaxInFlight(200_000))) {
            KeySlot slot = new KeySlot();
            int[] left = {50_000};
            Runnable[] body = new Runnable[1];
            body[0] = () -> {
                if (left[0]-- > 0) {
                    script.task.admit(slot, script.resident("derived", body[0]));
                }
            };
            List<Computation> waiting = new ArrayList<>();
            script.input(() -> {
                        script.task.admit(slot, script.resident("first", body[0]));
                        for (int i = 0; i < 50_000; i++) {
                            Computation fetched = script.fetched("fetched", Long.MAX_VALUE / 4, () -> {});
                            waiting.add(fetched);
                            script.task.admit(new KeySlot(), fetched);
                        }
                    })
                    .input(() -> waiting.forEach(script.task::ready))
                    .runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, hasSize(100_001));
        }
    }

    private static int stackDepth() {
        long frames = StackWalker.getInstance().walk(all -> all.limit(1000).count());
        return (int) frames;
    }
}
