// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the DoFns of the running program have seen, per key. DoFns find it by {@link #current}, since they are deserialized.
 * Written by the tasks' leaders; a key has one at a time.
 */
final class Recorder {
    /** Of a key: beyond, no timers are set, so that a program ends. */
    static final int MAX_ENTRIES = 60;

    private static volatile @Nullable Recorder current;

    final long seed;
    private final LongSupplier nowMillis;
    private final Map<String, List<Entry>> logs = new TreeMap<>();
    /** Counted by the threads of several tasks. */
    final AtomicInteger setups = new AtomicInteger();

    final AtomicInteger teardowns = new AtomicInteger();
    final AtomicInteger bundlesOpen = new AtomicInteger();

    Recorder(long seed, List<String> keys, LongSupplier nowMillis) {
        this.seed = seed;
        this.nowMillis = nowMillis;
        keys.forEach(key -> logs.put(key, new ArrayList<>()));
    }

    static Recorder current() {
        Recorder recorder = current;
        if (recorder == null) {
            throw new IllegalStateException("no program runs");
        }
        return recorder;
    }

    void makeCurrent() {
        current = this;
    }

    List<Entry> log(String key) {
        List<Entry> log = logs.get(key);
        if (log == null) {
            throw new IllegalStateException("nobody sent the key " + key);
        }
        return log;
    }

    /** How much each key has seen. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        logs.forEach((key, log) -> sizes.put(key, log.size()));
        return sizes;
    }

    /** Whether the key may set timers still. */
    boolean add(String key, Entry entry) {
        List<Entry> log = log(key);
        log.add(entry);
        return log.size() < MAX_ENTRIES;
    }

    long nowMillis() {
        return nowMillis.getAsLong();
    }
}
