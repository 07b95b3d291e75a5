// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import org.apache.beam.sdk.values.WindowedValues;
import org.jspecify.annotations.Nullable;

/** One empty element, at the beginning of time; or none at all. Stored: {@code [emitted 1]}. */
final class ImpulseSplit implements SplitReader {
    private boolean done;

    ImpulseSplit(boolean nothing, byte @Nullable [] position) {
        done = nothing || (position != null && position[0] != 0);
    }

    @Override
    public int read(int most, Receiver to) {
        if (done) {
            return 0;
        }
        done = true;
        to.accept(WindowedValues.valueInGlobalWindow(new byte[0]));
        return 1;
    }

    @Override
    public long watermarkMillis() {
        return done ? Frontier.MAX : Frontier.MIN;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public Position position() {
        return Position.of(new byte[] {(byte) (done ? 1 : 0)});
    }

    @Override
    public void close() {}
}
