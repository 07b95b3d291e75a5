// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;

/** All outputs of one task. Leader only. */
final class Outbound {
    private final List<Output> outputs;
    private final Runnable whenRoom;

    /** @param whenRoom wakes the task; any thread */
    Outbound(List<Output> outputs, Runnable whenRoom) {
        this.outputs = List.copyOf(outputs);
        this.whenRoom = whenRoom;
    }

    /** Receivers for {@code collection}, one per edge that carries it. */
    List<Receiver> receivers(int collection) {
        return outputs.stream()
                .filter(output -> output.collection() == collection)
                .<Receiver>map(output -> output::emit)
                .toList();
    }

    /** Whether all consumers have room; if not, the task is woken when it is worth another look. */
    boolean canEmit() {
        for (Output output : outputs) {
            if (!output.hasRoom(whenRoom)) {
                return false;
            }
        }
        return true;
    }

    void flush() {
        outputs.forEach(Output::flush);
    }

    void watermark(long millis) {
        outputs.forEach(output -> output.watermark(millis));
    }

    void barrier(Barrier barrier) {
        outputs.forEach(output -> output.barrier(barrier));
    }

    void end() {
        outputs.forEach(Output::end);
    }
}
