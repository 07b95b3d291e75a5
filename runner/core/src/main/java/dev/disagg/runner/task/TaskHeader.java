// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What a task's snapshot says besides its state. Stored: {@code [version 1][first group 4][end group 4][input watermark
 * 8][output watermark 8]}, big-endian.
 *
 * @param inputWatermark milliseconds; what had passed when the snapshot was taken
 * @param outputWatermark milliseconds; what had been released
 */
public record TaskHeader(KeyRange range, long inputWatermark, long outputWatermark) {
    private static final byte VERSION = 1;

    byte[] encode() {
        return ByteBuffer.allocate(25)
                .put(VERSION)
                .putInt(range.firstGroup())
                .putInt(range.endGroup())
                .putLong(inputWatermark)
                .putLong(outputWatermark)
                .array();
    }

    /** Reads one back; {@link Corrupt} when it is not one. */
    public static TaskHeader decode(byte[] stored, String owner) {
        try {
            ByteBuffer in = ByteBuffer.wrap(stored);
            byte version = in.get();
            if (version != VERSION) {
                throw new Corrupt("the snapshot of " + owner + " has a header of version " + version
                        + "; this version of DisaggRunner reads version " + VERSION
                        + ": restore with the version that wrote it");
            }
            return new TaskHeader(new KeyRange(in.getInt(), in.getInt()), in.getLong(), in.getLong());
        } catch (BufferUnderflowException e) {
            throw new Corrupt(
                    "the snapshot of " + owner + " has a header of " + stored.length
                            + " bytes, which is too short: restore another checkpoint",
                    e);
        }
    }
}
