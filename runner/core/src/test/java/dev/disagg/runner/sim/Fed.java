// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.List;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;

/** Something that the tasks of a {@link Plan} are fed. Elements come by channel 0, a side input by channel 1. */
sealed interface Fed {
    record Give(WindowedValue<KV<String, Object>> value) implements Fed {
        String key() {
            return value.getValue().getKey();
        }

        long timestampMillis() {
            return value.getTimestamp().getMillis();
        }
    }

    /** @param alone nothing is fed behind it before it has been acted on, so that nothing can overtake it */
    record Mark(int channel, long millis, boolean alone) implements Fed {}

    record Pane(BoundedWindow window, long number, List<?> elements) implements Fed {}

    /** Those of one checkpoint are next to each other in a plan. */
    record BarrierAt(int channel, long checkpoint) implements Fed {}
}
