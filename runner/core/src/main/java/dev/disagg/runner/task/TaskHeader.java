// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a task's snapshot says besides its state. Stored: {@code [version 1][first group 4][end group 4][input watermark
 * 8][output watermark 8]}, big-endian; version 3 goes on with {@code [steps 4]} and per step {@code [first group 4][end
 * group 4][last number 8][watermark 8][time 8]}. Version 1 is written where there are no steps. Version 2, which is only
 * read, goes on with {@code [watermark 8][time 8]} of the only step.
 *
 * @param inputWatermark milliseconds; what had passed when the snapshot was taken
 * @param outputWatermark milliseconds; what had been released
 * @param stable for a task that requires stable input, what it does from here on, in order; the first is under way
 */
public record TaskHeader(KeyRange range, long inputWatermark, long outputWatermark, List<StableStep> stable) {
    private static final byte PLAIN = 1;
    private static final byte ONE_STEP = 2;
    private static final byte STEPS = 3;
    private static final int PLAIN_BYTES = 25;
    private static final int STEP_BYTES = 32;

    public TaskHeader {
        stable = List.copyOf(stable);
    }

    /** The header of a task that does not require stable input. */
    public TaskHeader(KeyRange range, long inputWatermark, long outputWatermark) {
        this(range, inputWatermark, outputWatermark, List.of());
    }

    byte[] encode() {
        boolean plain = stable.isEmpty();
        ByteBuffer out = ByteBuffer.allocate(plain ? PLAIN_BYTES : PLAIN_BYTES + 4 + STEP_BYTES * stable.size())
                .put(plain ? PLAIN : STEPS)
                .putInt(range.firstGroup())
                .putInt(range.endGroup())
                .putLong(inputWatermark)
                .putLong(outputWatermark);
        if (!plain) {
            out.putInt(stable.size());
            for (StableStep step : stable) {
                out.putInt(step.range().firstGroup())
                        .putInt(step.range().endGroup())
                        .putLong(step.lastNumber())
                        .putLong(step.watermarkMillis())
                        .putLong(step.timeMillis());
            }
        }
        return out.array();
    }

    /** Reads one back; {@link Corrupt} when it is not one. */
    public static TaskHeader decode(byte[] stored, String owner) {
        try {
            ByteBuffer in = ByteBuffer.wrap(stored);
            byte version = in.get();
            if (version < PLAIN || version > STEPS) {
                throw new Corrupt("the snapshot of " + owner + " has a header of version " + version
                        + "; this version of DisaggRunner reads versions " + PLAIN + " to " + STEPS
                        + ": restore with the version that wrote it");
            }
            KeyRange range = new KeyRange(in.getInt(), in.getInt());
            return new TaskHeader(range, in.getLong(), in.getLong(), steps(in, version, range));
        } catch (BufferUnderflowException e) {
            throw new Corrupt(
                    "the snapshot of " + owner + " has a header of " + stored.length
                            + " bytes, which is too short: restore another checkpoint",
                    e);
        } catch (Invalid e) {
            throw new Corrupt(
                    "the snapshot of " + owner + " has a header that says " + e.getMessage()
                            + ": restore another checkpoint",
                    e);
        }
    }

    private static List<StableStep> steps(ByteBuffer in, byte version, KeyRange range) {
        List<StableStep> steps = new ArrayList<>();
        if (version == ONE_STEP) {
            steps.add(new StableStep(range, Long.MAX_VALUE, in.getLong(), in.getLong()));
        } else if (version == STEPS) {
            for (int left = in.getInt(); left > 0; left--) {
                steps.add(new StableStep(
                        new KeyRange(in.getInt(), in.getInt()), in.getLong(), in.getLong(), in.getLong()));
            }
        }
        return steps;
    }
}
