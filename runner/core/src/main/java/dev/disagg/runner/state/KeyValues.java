// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.ValueCell;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.ValueState;
import org.jspecify.annotations.Nullable;

/** A value that a step keeps in its keys' own rows, looked at from outside of a body. Leader only. */
public final class KeyValues<T> {
    private final int cell;
    private final CoderCodec<T> codec;

    /** @param step as the step's {@link StepState} has it */
    public KeyValues(TaskState cells, String step, StateTag<ValueState<T>> tag, Coder<T> coder) {
        this.cell = cells.cellId(step, StepState.cellName(tag));
        this.codec = CoderCodec.of(coder);
    }

    /** The value of a key; null when there is none, or it is not in memory. */
    public @Nullable T of(KeyEntry entry) {
        ValueCell<T> found = entry.globalRow().value(cell, codec);
        return found.resident() ? found.read() : null;
    }
}
