// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.sameInstance;

import dev.disagg.async.Computation;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The running computation and its key are current before and after every wait. */
class Lesson06TheKeyIsTheSameAfterEveryWaitTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theRunningComputationIsCurrentBeforeAndAfterEveryWait(long seed) {
        try (Script script = Script.unruly(seed, options -> options.withMaxParked(2))) {
            for (int key = 0; key < 20; key++) {
                Computation[] self = new Computation[1];
                KeySlot slot = new KeySlot();
                self[0] = script.fetched("c", 50, () -> {
                    for (int i = 0; i < 3; i++) {
                        Thread before = Thread.currentThread();
                        script.read(50);
                        assertThat(script.task.current(), sameInstance(self[0]));
                        assertThat(script.task.current().slot(), sameInstance(slot));
                        assertThat("same thread", Thread.currentThread(), sameInstance(before));
                        assertThat("leads", script.task.isLeader(), equalTo(true));
                    }
                });
                script.input(() -> script.task.admit(slot, self[0]));
            }
            script.runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, hasSize(20));
        }
    }
}
