// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;

/**
 * A timer of one key. The arrays are not modified by anybody.
 *
 * @param id what tells the key's timers of this domain apart (family, id and namespace, encoded by the runner)
 * @param timestampMillis when it is due, in the time of its domain
 * @param outputTimestampMillis event time down to which it holds the output watermark; {@link Long#MAX_VALUE} holds nothing
 * @param payload opaque, handed back
 */
public record Timer(byte[] id, TimerDomain domain, long timestampMillis, long outputTimestampMillis, byte[] payload) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Timer t
                && domain == t.domain
                && timestampMillis == t.timestampMillis
                && outputTimestampMillis == t.outputTimestampMillis
                && Arrays.equals(id, t.id)
                && Arrays.equals(payload, t.payload);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(id) * 31 + Long.hashCode(timestampMillis);
    }

    @Override
    public String toString() {
        return "Timer[" + domain + " " + KeyLayout.hex(id) + " at " + timestampMillis + " ms, output "
                + outputTimestampMillis + " ms]";
    }
}
