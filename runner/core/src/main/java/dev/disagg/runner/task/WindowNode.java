// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.Collection;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;

/** Window.into: assigns windows to elements, each of which is in exactly one window before. */
final class WindowNode implements Node, Receiver {
    private final String name;
    private final WindowFn<Object, BoundedWindow> windowFn;
    private final Receiver output;

    @SuppressWarnings("unchecked")
    WindowNode(String name, WindowFn<?, ?> windowFn, Receiver output) {
        this.name = name;
        this.windowFn = (WindowFn<Object, BoundedWindow>) windowFn;
        this.output = output;
    }

    @Override
    public void accept(WindowedValue<?> value) {
        if (value.getWindows().size() == 1) {
            assign(value);
        } else {
            value.explodeWindows().forEach(this::assign);
        }
    }

    private void assign(WindowedValue<?> value) {
        BoundedWindow before = value.getWindows().iterator().next();
        Collection<BoundedWindow> windows;
        try {
            windows = windowFn.assignWindows(windowFn.new AssignContext() {
                @Override
                public Object element() {
                    return value.getValue();
                }

                @Override
                public Instant timestamp() {
                    return value.getTimestamp();
                }

                @Override
                public BoundedWindow window() {
                    return before;
                }
            });
        } catch (Exception e) {
            throw org.apache.beam.sdk.util.UserCodeException.wrap(new RuntimeException(
                    name + ": " + windowFn + " can not assign windows to an element at " + value.getTimestamp(), e));
        }
        output.accept(WindowedValues.of(value.getValue(), value.getTimestamp(), windows, value.getPaneInfo()));
    }
}
