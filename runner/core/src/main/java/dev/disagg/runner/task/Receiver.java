// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;
import org.apache.beam.sdk.values.WindowedValue;

/** Where elements of one collection go. */
@FunctionalInterface
interface Receiver {
    Receiver NOWHERE = value -> {};

    void accept(WindowedValue<?> value);

    /** One receiver for several. */
    static Receiver all(List<Receiver> receivers) {
        if (receivers.isEmpty()) {
            return NOWHERE;
        }
        if (receivers.size() == 1) {
            return receivers.get(0);
        }
        Receiver[] each = receivers.toArray(new Receiver[0]);
        return value -> {
            for (Receiver receiver : each) {
                receiver.accept(value);
            }
        };
    }
}
