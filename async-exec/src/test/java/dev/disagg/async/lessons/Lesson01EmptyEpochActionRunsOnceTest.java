// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.EpochScan;
import dev.disagg.async.Script;
import org.junit.jupiter.api.Test;

/** The action of a watermark runs once, also when its epoch is empty. */
class Lesson01EmptyEpochActionRunsOnceTest {
    private static final EpochScan NOTHING = () -> EpochScan.Step.EXHAUSTED;

    @Test
    void watermarkOfAnEmptyEpochIsReleasedExactlyOnce() {
        try (Script script = Script.unruly(1)) {
            script.input(() -> script.task.seal("W1", NOTHING)).runToEnd();
            assertThat(script.events, contains("released W1"));
        }
    }
}
