// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A file that is an object of its own. One owner. */
final class StoreFile implements UnifiedFileSystem.ObjectFile {
    private final OwnedObjects owned;
    private final GrowingObject object;

    StoreFile(OwnedObjects owned, GrowingObject object) {
        this.owned = owned;
        this.object = object;
        owned.begin(object.object());
    }

    @Override
    public String object() {
        return object.object();
    }

    @Override
    public void write(ByteBuffer bytes) {
        object.write(bytes);
    }

    @Override
    public long position() {
        return object.position();
    }

    @Override
    public CompletableFuture<ObjectRange> finish() {
        ObjectRange whole = new ObjectRange(object.object(), 0, object.position());
        return object.finish().handle((done, error) -> {
            owned.end(object.object());
            if (error != null) {
                throw Await.kind(error);
            }
            owned.mayBeDiscarded(object.object());
            return whole;
        });
    }

    @Override
    public void close() {
        if (object.abort()) {
            owned.end(object.object());
        }
    }
}
