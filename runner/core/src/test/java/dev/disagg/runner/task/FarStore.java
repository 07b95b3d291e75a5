// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.SharedRun;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store whose every read comes later; writes are at once. */
final class FarStore implements ByteStore {
    private final ByteStore near;
    private final Consumer<Runnable> later;
    private long reads;
    private final AtomicInteger pending = new AtomicInteger();

    /** @param later runs what it is given after the distance to this store */
    FarStore(ByteStore near, Consumer<Runnable> later) {
        this.near = near;
        this.later = later;
    }

    /** Reads so far: pages of cursors and single values. */
    long reads() {
        return reads;
    }

    /** Reads that have not been answered yet. Any thread. */
    int pending() {
        return pending.get();
    }

    private <T> CompletableFuture<T> far(CompletableFuture<T> answer) {
        reads++;
        pending.incrementAndGet();
        CompletableFuture<T> far = new CompletableFuture<>();
        later.accept(() -> answer.whenComplete((value, failure) -> {
            if (failure == null) {
                far.complete(value);
            } else {
                far.completeExceptionally(failure);
            }
            pending.decrementAndGet();
        }));
        return far;
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        near.put(family, key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        near.append(family, key, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        near.delete(family, key);
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Family family, byte[] key) {
        return far(near.get(family, key));
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        Cursor cursor = near.scan(family, from, to, rowPrefix);
        return new Cursor() {
            private boolean begun;

            @Override
            public CompletableFuture<List<Entry>> next(int maxBytes) {
                CompletableFuture<List<Entry>> page = cursor.next(maxBytes);
                if (begun && page.join().isEmpty()) {
                    // Whoever has read the last block of a range knows that there is no more.
                    return page;
                }
                begun = true;
                return far(page);
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        return near.freeze(checkpoint, header);
    }

    @Override
    public @Nullable Late freezeBeforeLast(long checkpoint, byte[] header) {
        return near.freezeBeforeLast(checkpoint, header);
    }

    @Override
    public void link(SharedRun run) {
        near.link(run);
    }

    @Override
    public void unlink(String run) {
        near.unlink(run);
    }

    @Override
    public Map<String, SharedRun> linked() {
        return near.linked();
    }

    @Override
    public long memoryBytes() {
        return near.memoryBytes();
    }

    @Override
    public void close() {
        near.close();
    }
}
