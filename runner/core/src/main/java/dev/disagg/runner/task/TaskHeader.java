// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What a task's snapshot says besides its state. Stored: {@code [version 1][first group 4][end group 4][input watermark
 * 8][output watermark 8]}, big-endian; version 2 goes on with {@code [stable watermark 8][stable time 8]}. Version 1 is
 * written where there is nothing more to say.
 *
 * @param inputWatermark milliseconds; what had passed when the snapshot was taken
 * @param outputWatermark milliseconds; what had been released
 * @param stableWatermark milliseconds; the input watermark that had arrived, for a task that requires stable input
 * @param stableTime milliseconds since the epoch; processing time, for a task that requires stable input
 */
public record TaskHeader(
        KeyRange range, long inputWatermark, long outputWatermark, long stableWatermark, long stableTime) {
    private static final byte PLAIN = 1;
    private static final byte STABLE = 2;

    /** The header of a task that does not require stable input. */
    public TaskHeader(KeyRange range, long inputWatermark, long outputWatermark) {
        this(range, inputWatermark, outputWatermark, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    byte[] encode() {
        boolean plain = stableWatermark == Long.MIN_VALUE && stableTime == Long.MIN_VALUE;
        ByteBuffer out = ByteBuffer.allocate(plain ? 25 : 41)
                .put(plain ? PLAIN : STABLE)
                .putInt(range.firstGroup())
                .putInt(range.endGroup())
                .putLong(inputWatermark)
                .putLong(outputWatermark);
        if (!plain) {
            out.putLong(stableWatermark).putLong(stableTime);
        }
        return out.array();
    }

    /** Reads one back; {@link Corrupt} when it is not one. */
    public static TaskHeader decode(byte[] stored, String owner) {
        try {
            ByteBuffer in = ByteBuffer.wrap(stored);
            byte version = in.get();
            if (version != PLAIN && version != STABLE) {
                throw new Corrupt("the snapshot of " + owner + " has a header of version " + version
                        + "; this version of DisaggRunner reads versions " + PLAIN + " and " + STABLE
                        + ": restore with the version that wrote it");
            }
            KeyRange range = new KeyRange(in.getInt(), in.getInt());
            long input = in.getLong();
            long output = in.getLong();
            return version == PLAIN
                    ? new TaskHeader(range, input, output)
                    : new TaskHeader(range, input, output, in.getLong(), in.getLong());
        } catch (BufferUnderflowException e) {
            throw new Corrupt(
                    "the snapshot of " + owner + " has a header of " + stored.length
                            + " bytes, which is too short: restore another checkpoint",
                    e);
        }
    }
}
