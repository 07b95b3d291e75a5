// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.ObjectStore;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Passes every call on; a test overrides the one that it is about. */
public class ForwardingStore implements ObjectStore {
    private final ObjectStore below;

    public ForwardingStore(ObjectStore below) {
        this.below = below;
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        return below.put(name, bytes);
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        return below.putIfAbsent(name, bytes);
    }

    @Override
    public ObjectWriter create(String name) {
        return below.create(name);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        return below.read(name, offset, length);
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return below.size(name);
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return below.list(prefix, startAfter, limit);
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        return below.delete(names);
    }

    @Override
    public void close() {
        below.close();
    }
}
