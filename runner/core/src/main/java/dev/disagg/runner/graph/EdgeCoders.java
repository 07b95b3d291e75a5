// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.sdk.values.WindowingStrategy;

/** Coders of whole elements: value, timestamp, windows and pane. */
final class EdgeCoders {
    private EdgeCoders() {}

    @SuppressWarnings("unchecked")
    static Coder<WindowedValue<Object>> of(Coder<?> value, WindowingStrategy<?, ?> windowing) {
        return WindowedValues.getFullCoder((Coder<Object>) value, (Coder<? extends BoundedWindow>)
                windowing.getWindowFn().windowCoder());
    }
}
