// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, bounded by weight, by the CLOCK rule with a small count of uses: a hand goes round the entries, takes one use off each, and evicts the first without
 * any. A new entry counts as used once, so that what was just read stays for a turn of the hand however small the cache is; a scan, which uses each entry once, leaves
 * those that are used again and again where they are.
 *
 * <p>A lookup takes no lock. Thread-safe.
 */
final class ClockCache<K, V> {
    private static final int MOST_USES = 3;

    /** A value with its place in the cache. Who keeps it finds the value without a lookup, for as long as it is live. */
    static final class Entry<K, V> {
        private final K key;
        private final V value;
        private final int weight;
        private volatile boolean live = true;
        /** Between 0 and the most; racing threads may lose a use, which no one misses. */
        private int uses = 1;

        private Entry(K key, V value, int weight) {
            this.key = key;
            this.value = value;
            this.weight = weight;
        }

        /** The value, which counts as a use; null when it was evicted. */
        @Nullable
        V use() {
            if (!live) {
                return null;
            }
            if (uses < MOST_USES) {
                uses++;
            }
            return value;
        }
    }

    private final ToIntBiFunction<K, V> weigher;
    private final ConcurrentMap<K, Entry<K, V>> entries = new ConcurrentHashMap<>();
    /** In the order in which the hand will come by; guarded by itself, as are the weights. Of entries that were replaced it has none but in passing. */
    private final Queue<Entry<K, V>> hand = new ArrayDeque<>();

    private long weight;
    private long most;

    /** @param maximumWeight of all entries together; one that weighs more is not kept */
    ClockCache(long maximumWeight, ToIntBiFunction<K, V> weigher) {
        this.most = maximumWeight;
        this.weigher = weigher;
    }

    /** The entry of the key, without counting as a use. */
    @Nullable
    Entry<K, V> find(K key) {
        return entries.get(key);
    }

    /** The value, without counting as a use. */
    @Nullable
    V peek(K key) {
        Entry<K, V> entry = entries.get(key);
        return entry == null ? null : entry.value;
    }

    /** The value, which counts as a use. */
    @Nullable
    V get(K key) {
        Entry<K, V> entry = entries.get(key);
        return entry == null ? null : entry.use();
    }

    /** Keeps the value instead of what the key had, and evicts what must make room for it. */
    void put(K key, V value) {
        Entry<K, V> fresh = new Entry<>(key, value, weigher.applyAsInt(key, value));
        synchronized (hand) {
            Entry<K, V> old = entries.get(key);
            if (old != null) {
                drop(old);
                hand.remove(old);
            }
            if (fresh.weight > most) {
                return;
            }
            weight += fresh.weight;
            evict();
            entries.put(key, fresh);
            hand.add(fresh);
        }
    }

    long weight() {
        synchronized (hand) {
            return weight;
        }
    }

    /** Changes the bound; evicts at once when it is smaller. */
    void resize(long maximumWeight) {
        synchronized (hand) {
            most = maximumWeight;
            evict();
        }
    }

    void clear() {
        synchronized (hand) {
            hand.forEach(this::drop);
            hand.clear();
        }
    }

    private void evict() {
        while (weight > most) {
            Entry<K, V> entry = hand.remove();
            if (entry.uses > 0) {
                entry.uses--;
                hand.add(entry);
            } else {
                drop(entry);
            }
        }
    }

    private void drop(Entry<K, V> entry) {
        entry.live = false;
        entries.remove(entry.key, entry);
        weight -= entry.weight;
    }
}
