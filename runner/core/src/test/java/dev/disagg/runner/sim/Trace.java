// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the DoFns of the running plan have seen, per key. DoFns find it by {@link #current}, since they are deserialized.
 * Written by the tasks' leaders; a key has one at a time.
 *
 * @param <T> what is noted
 */
final class Trace<T> {
    private static volatile @Nullable Trace<?> current;

    private final Map<String, List<T>> logs = new TreeMap<>();
    /** The newest checkpoint of which any task has been told that it is committed. */
    private final LongSupplier committed;

    Trace(List<String> keys, LongSupplier committed) {
        this.committed = committed;
        keys.forEach(key -> logs.put(key, new ArrayList<>()));
    }

    @SuppressWarnings("unchecked")
    static <T> Trace<T> current() {
        Trace<?> trace = current;
        if (trace == null) {
            throw new IllegalStateException("no plan runs");
        }
        return (Trace<T>) trace;
    }

    void makeCurrent() {
        current = this;
    }

    List<T> log(String key) {
        List<T> log = logs.get(key);
        if (log == null) {
            throw new IllegalStateException("nobody sent the key " + key);
        }
        return log;
    }

    long committed() {
        return committed.getAsLong();
    }

    /** How much each key has seen. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        logs.forEach((key, log) -> sizes.put(key, log.size()));
        return sizes;
    }
}
