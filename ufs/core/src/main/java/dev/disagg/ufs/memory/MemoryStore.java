// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.memory;

import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectNames;
import dev.disagg.ufs.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Objects in this process's memory. Every future is complete when it is returned. Closing ends this handle; the objects
 * of a named store stay for the next one. Thread-safe.
 */
public final class MemoryStore implements ObjectStore {
    private static final ConcurrentHashMap<String, ConcurrentNavigableMap<String, Stored>> NAMED =
            new ConcurrentHashMap<>();

    private final ConcurrentNavigableMap<String, Stored> objects;
    private final LongSupplier wallMillis;
    private volatile boolean closed;

    private MemoryStore(ConcurrentNavigableMap<String, Stored> objects, LongSupplier wallMillis) {
        this.objects = objects;
        this.wallMillis = wallMillis;
    }

    /** A store of its own. */
    public static MemoryStore create(LongSupplier wallMillis) {
        return new MemoryStore(new ConcurrentSkipListMap<>(), wallMillis);
    }

    /** A handle on the store of this name in this process. */
    public static MemoryStore named(String name, LongSupplier wallMillis) {
        return new MemoryStore(NAMED.computeIfAbsent(name, absent -> new ConcurrentSkipListMap<>()), wallMillis);
    }

    /** Another handle on the same objects, as another process would have. */
    public MemoryStore another() {
        return new MemoryStore(objects, wallMillis);
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        return answer(() -> {
            ObjectNames.check(name);
            store(name, copy(bytes));
            return null;
        });
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        return answer(() -> {
            ObjectNames.check(name);
            Stored created = new Stored(copy(bytes), wallMillis.getAsLong());
            return objects.putIfAbsent(name, created) == null ? PutResult.CREATED : PutResult.EXISTS;
        });
    }

    @Override
    public ObjectWriter create(String name) {
        ObjectNames.check(name);
        requireOpen();
        return new Writer(name);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        return answer(() -> {
            ObjectNames.check(name);
            Stored stored = objects.get(name);
            if (stored == null) {
                throw new Invalid(
                        "there is no object '" + name + "' in the memory store: it was never finished, or was deleted");
            }
            if (offset < 0 || length < 0 || offset > stored.bytes.length - length) {
                throw new Invalid("range " + offset + "+" + length + " is outside of object '" + name + "' of "
                        + stored.bytes.length + " bytes");
            }
            return ByteBuffer.wrap(stored.bytes, (int) offset, length).slice().asReadOnlyBuffer();
        });
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return answer(() -> {
            Stored stored = objects.get(ObjectNames.check(name));
            return stored == null ? OptionalLong.empty() : OptionalLong.of(stored.bytes.length);
        });
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return answer(() -> {
            ObjectNames.checkPrefix(prefix);
            List<Listed> page = new ArrayList<>();
            boolean fromPrefix = startAfter.compareTo(prefix) < 0;
            for (Map.Entry<String, Stored> entry : objects.tailMap(fromPrefix ? prefix : startAfter, fromPrefix)
                    .entrySet()) {
                if (page.size() >= limit || !entry.getKey().startsWith(prefix)) {
                    break;
                }
                Stored stored = entry.getValue();
                page.add(new Listed(entry.getKey(), stored.bytes.length, stored.modifiedMillis));
            }
            return List.copyOf(page);
        });
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        return answer(() -> {
            names.forEach(ObjectNames::check);
            names.forEach(objects::remove);
            return null;
        });
    }

    @Override
    public void close() {
        closed = true;
    }

    private void store(String name, byte[] bytes) {
        Stored there = objects.putIfAbsent(name, new Stored(bytes, wallMillis.getAsLong()));
        if (there != null && !Arrays.equals(there.bytes, bytes)) {
            throw new Invalid("object '" + name + "' exists with other bytes; objects are written once");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new Failed("this memory store is closed");
        }
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return copy;
    }

    private <T> CompletableFuture<T> answer(Supplier<T> call) {
        try {
            requireOpen();
            return CompletableFuture.completedFuture(call.get());
        } catch (DisaggException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private record Stored(byte[] bytes, long modifiedMillis) {}

    private final class Writer implements ObjectWriter {
        private final String name;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean ended;

        Writer(String name) {
            this.name = name;
        }

        @Override
        public void write(ByteBuffer bytes) {
            if (ended) {
                throw new Invalid("the writer of object '" + name + "' has ended");
            }
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            written.write(copy, 0, copy.length);
        }

        @Override
        public long position() {
            return written.size();
        }

        @Override
        public CompletableFuture<Void> finish() {
            return answer(() -> {
                if (ended) {
                    throw new Invalid("the writer of object '" + name + "' has ended");
                }
                ended = true;
                store(name, written.toByteArray());
                return null;
            });
        }

        @Override
        public void close() {
            ended = true;
        }
    }
}
