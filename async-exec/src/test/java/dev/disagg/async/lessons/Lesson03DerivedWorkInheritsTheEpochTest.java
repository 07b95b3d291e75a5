// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.Computation;
import dev.disagg.async.EpochScan;
import dev.disagg.async.KeySlot;
import dev.disagg.async.Script;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Derived work belongs to the epoch of its parent, and what ends an epoch does not overtake it. */
class Lesson03DerivedWorkInheritsTheEpochTest {
    private static final EpochScan NOTHING = () -> EpochScan.Step.EXHAUSTED;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void derivedWorkBelongsToTheEpochOfItsParent(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot parentKey = new KeySlot();
            KeySlot childKey = new KeySlot();
            Computation grandchild = script.fetched("grandchild", 300, () -> {});
            Computation child = script.fetched("child", 300, () -> script.task.admit(new KeySlot(), grandchild));
            Computation parent = script.fetched("parent", 300, () -> script.task.admit(childKey, child));
            script.input(() -> script.task.admit(parentKey, parent))
                    .input(() -> script.task.seal("W1", NOTHING))
                    .input(() -> script.task.admit(new KeySlot(), script.resident("later", () -> {})))
                    .input(() -> script.task.seal("W2", NOTHING))
                    .runToEnd();
            script.events.remove("later");
            assertThat(script.events, contains("parent", "child", "grandchild", "released W1", "released W2"));
        }
    }
}
