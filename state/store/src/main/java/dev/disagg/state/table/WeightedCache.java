// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, bounded by weight, where concurrent loads of one key are one. What is being loaded is kept beside the
 * cache (and is bounded by the readers that wait), so that a lookup of what is there touches one map and no future, and
 * that a failed load leaves nothing. Thread-safe.
 */
final class WeightedCache<K, V> {
    private final ClockCache<K, V> cache;
    private final ConcurrentMap<K, CompletableFuture<V>> loading = new ConcurrentHashMap<>();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    WeightedCache(long maximumWeight, ToIntBiFunction<K, V> weigher) {
        cache = new ClockCache<>(maximumWeight, weigher);
    }

    /** The entry if it is here; not counted, neither as a use nor as a hit. */
    ClockCache.@Nullable Entry<K, V> find(K key) {
        return cache.find(key);
    }

    /** What an entry holds, if it still does; counts as {@link #getIfPresent}. */
    @Nullable
    V use(ClockCache.Entry<K, V> entry) {
        V value = entry.use();
        if (value != null) {
            hits.increment();
        }
        return value;
    }

    /** The value if it is here, which counts as a use. */
    @Nullable
    V getIfPresent(K key) {
        ClockCache.Entry<K, V> entry = cache.find(key);
        return entry == null ? null : use(entry);
    }

    /** The value if it is here, without counting as a use. */
    @Nullable
    V peek(K key) {
        return cache.peek(key);
    }

    /** The value, loaded at most once whoever asks; complete already when it is here. */
    CompletableFuture<V> get(K key, Supplier<CompletableFuture<V>> loader) {
        V present = getIfPresent(key);
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        misses.increment();
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> other = claim(key, mine);
        if (other != null) {
            return other;
        }
        try {
            loader.get()
                    .whenComplete((value, failure) ->
                            settle(key, mine, value, failure == null ? null : Failures.cause(failure)));
        } catch (RuntimeException | Error e) {
            settle(key, mine, null, e);
        }
        return mine;
    }

    /**
     * Announces a load, to be ended by {@link #settle}.
     *
     * @return null when it is the caller's to load; otherwise what another caller loads, or has just loaded
     */
    @Nullable
    CompletableFuture<V> claim(K key, CompletableFuture<V> mine) {
        CompletableFuture<V> other = loading.putIfAbsent(key, mine);
        if (other != null) {
            return other;
        }
        V present = cache.get(key);
        if (present != null) {
            // A load ended between the caller's look and this one; the cache has it already.
            loading.remove(key, mine);
            mine.complete(present);
            return mine;
        }
        return null;
    }

    /** Ends a claimed load: first the cache has the value, then the waiting readers. */
    void settle(K key, CompletableFuture<V> mine, @Nullable V value, @Nullable Throwable failure) {
        if (value != null) {
            cache.put(key, value);
        }
        loading.remove(key, mine);
        if (value != null) {
            mine.complete(value);
        } else {
            mine.completeExceptionally(failure == null ? new NullPointerException("loaded value is null") : failure);
        }
    }

    void countMiss() {
        misses.increment();
    }

    long hits() {
        return hits.sum();
    }

    long misses() {
        return misses.sum();
    }

    long weight() {
        return cache.weight();
    }

    void resize(long maximumWeight) {
        cache.resize(maximumWeight);
    }

    void clear() {
        cache.clear();
    }
}
