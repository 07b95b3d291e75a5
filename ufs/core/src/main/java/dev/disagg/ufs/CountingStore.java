// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes through to the store below; changes nothing. Closing it closes the store below. Thread-safe. */
public final class CountingStore implements ObjectStore {
    private final ObjectStore below;
    private final LongAdder puts = new LongAdder();
    private final LongAdder conditionalPuts = new LongAdder();
    private final LongAdder streamedPuts = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder sizes = new LongAdder();
    private final LongAdder lists = new LongAdder();
    private final LongAdder deletes = new LongAdder();
    private final LongAdder objectsDeleted = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();

    public CountingStore(ObjectStore below) {
        this.below = below;
    }

    /** The counts now; not a single instant when calls are running. */
    public RequestCounts counts() {
        return new RequestCounts(
                puts.sum(),
                conditionalPuts.sum(),
                streamedPuts.sum(),
                reads.sum(),
                sizes.sum(),
                lists.sum(),
                deletes.sum(),
                objectsDeleted.sum(),
                bytesWritten.sum(),
                bytesRead.sum());
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        puts.increment();
        bytesWritten.add(bytes.remaining());
        return below.put(name, bytes);
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        conditionalPuts.increment();
        bytesWritten.add(bytes.remaining());
        return below.putIfAbsent(name, bytes);
    }

    @Override
    public ObjectWriter create(String name) {
        streamedPuts.increment();
        ObjectWriter writer = below.create(name);
        return new ForwardingWriter(writer) {
            @Override
            public void write(ByteBuffer bytes) {
                bytesWritten.add(bytes.remaining());
                super.write(bytes);
            }
        };
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        reads.increment();
        return below.read(name, offset, length).thenApply(bytes -> {
            bytesRead.add(bytes.remaining());
            return bytes;
        });
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        sizes.increment();
        return below.size(name);
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        lists.increment();
        return below.list(prefix, startAfter, limit);
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        deletes.increment();
        objectsDeleted.add(names.size());
        return below.delete(names);
    }

    @Override
    public void close() {
        below.close();
    }
}
