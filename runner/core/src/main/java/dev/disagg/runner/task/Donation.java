// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;

/**
 * A restriction on its way to another task.
 *
 * @param origin key of the restriction that it was split off
 * @param number tells apart what is split off the same key
 * @param value an element and the restriction
 * @param holdMillis of the output watermark, of the task that gives it
 */
record Donation(byte[] origin, long number, WindowedValue<?> value, long holdMillis) {
    private static final int MAX_TRIES = 1 << 24;

    /**
     * The restriction as an element of the stage, under a key of its own in this range.
     *
     * @param range of the key groups of the task that takes it
     */
    KeyedElement element(Head.Keyed head, KeyRange range) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            byte[] key = ByteBuffer.allocate(origin.length + 12)
                    .put(origin)
                    .putLong(number)
                    .putInt(tries)
                    .array();
            byte[] encoded = encoded(head, key);
            long hash = KeyHash.of(encoded);
            if (range.contains(hash)) {
                return new KeyedElement(value.withValue(KV.of(key, value.getValue())), encoded, hash, -1);
            }
        }
        throw new IllegalStateException("no key was found in " + range);
    }

    @SuppressWarnings("unchecked")
    private static byte[] encoded(Head.Keyed head, byte[] key) {
        try {
            return CoderUtils.encodeToByteArray((Coder<Object>) head.keyCoder(), key, Coder.Context.OUTER);
        } catch (IOException e) {
            throw new IllegalStateException("a key of bytes can not be encoded: " + e.getMessage(), e);
        }
    }
}
