// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;

/** What travels in a channel, in order. Channels are numbered by the task that they lead to. */
public sealed interface Message {
    int channel();

    /**
     * Elements: {@link org.apache.beam.sdk.values.WindowedValue}s, {@link KeyedElement}s or {@link ViewPane}s, by the kind
     * of the edge.
     */
    record Elements(int channel, List<?> items) implements Message {}

    /** No later element of this channel is on time before {@code millis}. */
    record Watermark(int channel, long millis) implements Message {}

    /** The border of a checkpoint. */
    record BarrierAt(int channel, Barrier barrier) implements Message {}

    /** The channel's last message but for barriers; the watermark is at its maximum. */
    record End(int channel) implements Message {}
}
