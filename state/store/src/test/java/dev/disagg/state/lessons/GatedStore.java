// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.MemoryUfs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** A store in memory whose reads wait until a test opens the gate, which another thread does, or fail. */
final class GatedStore implements ByteStore {
    private final ByteStore inner;
    private final List<Runnable> waiting = new ArrayList<>();
    boolean gated;
    int reads;
    /** Which keys cannot be read. */
    Predicate<byte[]> broken = key -> false;

    GatedStore() {
        inner = new HeapBackend(new MemoryUfs(), Runnable::run)
                .open("lesson", KeyRange.ALL, List.of())
                .join()
                .store();
    }

    TaskState state(long cacheBytes) {
        return TaskState.open(new Opened(this, List.of()), new TaskStateOptions(cacheBytes, 8 << 20, 64));
    }

    static KeyEntry key(TaskState state, String key) {
        byte[] bytes = bytes(key);
        return state.key(KeyHash.of(bytes), bytes);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Lets all reads that wait go on, on another thread. */
    void open() throws InterruptedException {
        List<Runnable> ready = new ArrayList<>(waiting);
        waiting.clear();
        Thread other = new Thread(() -> ready.forEach(Runnable::run), "reader");
        other.start();
        other.join();
    }

    private <T> CompletableFuture<T> gate(byte[] key, CompletableFuture<T> answer) {
        reads++;
        CompletableFuture<T> out = new CompletableFuture<>();
        boolean fails = broken.test(key);
        Runnable answering = () -> {
            if (fails) {
                out.completeExceptionally(new dev.disagg.ufs.Unavailable("this key cannot be read"));
            } else {
                out.complete(answer.join());
            }
        };
        if (gated) {
            waiting.add(answering);
        } else {
            answering.run();
        }
        return out;
    }

    @Override
    public CompletableFuture<byte[]> get(Family family, byte[] key) {
        return gate(key, inner.get(family, key));
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte[] to, byte[] rowPrefix) {
        Cursor cursor = inner.scan(family, from, to, rowPrefix);
        return new Cursor() {
            private boolean begun;

            @Override
            public CompletableFuture<List<Entry>> next(int maxBytes) {
                if (begun) {
                    return cursor.next(maxBytes);
                }
                begun = true;
                return gate(from, cursor.next(maxBytes));
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        inner.put(family, key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        inner.append(family, key, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        inner.delete(family, key);
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        return inner.freeze(checkpoint, header);
    }

    @Override
    public void link(SharedRun run) {
        inner.link(run);
    }

    @Override
    public void unlink(String run) {
        inner.unlink(run);
    }

    @Override
    public Map<String, SharedRun> linked() {
        return inner.linked();
    }

    @Override
    public long memoryBytes() {
        return inner.memoryBytes();
    }

    @Override
    public void close() {
        inner.close();
    }
}
