// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A file that is an object of its own. One owner. */
final class StoreFile implements UnifiedFileSystem.ObjectFile {
    private final OwnedObjects owned;
    private final String object;
    private final ObjectStore.ObjectWriter writer;

    StoreFile(ObjectStore store, OwnedObjects owned, String object) {
        this.owned = owned;
        this.object = object;
        this.writer = store.create(object);
        owned.begin(object);
    }

    @Override
    public String object() {
        return object;
    }

    @Override
    public void write(ByteBuffer bytes) {
        writer.write(bytes);
    }

    @Override
    public long position() {
        return writer.position();
    }

    @Override
    public CompletableFuture<ObjectRange> finish() {
        ObjectRange whole = new ObjectRange(object, 0, writer.position());
        return writer.finish().handle((done, error) -> {
            owned.end(object);
            if (error != null) {
                throw Await.kind(error);
            }
            owned.mayBeDiscarded(object);
            return whole;
        });
    }

    @Override
    public void close() {
        owned.end(object);
        writer.close();
    }
}
