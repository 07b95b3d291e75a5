// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A pack of files in one object. Guarded by this. */
final class StorePack implements Pack {
    private enum State {
        OPEN,
        SEALED,
        ABORTED
    }

    private final OwnedObjects owned;
    private final GrowingObject object;
    private boolean used;
    private State state = State.OPEN;
    private @Nullable CompletableFuture<Void> sealed;

    StorePack(OwnedObjects owned, GrowingObject object) {
        this.owned = owned;
        this.object = object;
        owned.begin(object.object());
    }

    @Override
    public synchronized ObjectRange append(List<ByteBuffer> file) {
        if (state != State.OPEN) {
            throw new Invalid("pack '" + object.object() + "' is " + (state == State.SEALED ? "sealed" : "aborted")
                    + "; append to a new one");
        }
        long start = object.position();
        used = true;
        try {
            file.forEach(part -> object.write(part.duplicate()));
        } catch (RuntimeException e) {
            abort(); // what the object holds now is unknown
            throw e;
        }
        return new ObjectRange(object.object(), start, object.position() - start);
    }

    @Override
    public synchronized CompletableFuture<Void> seal() {
        if (sealed != null) {
            return sealed;
        }
        if (state == State.ABORTED) {
            return CompletableFuture.failedFuture(
                    new Invalid("pack '" + object.object() + "' is aborted; what was appended is not kept"));
        }
        state = State.SEALED;
        CompletableFuture<Void> written = used ? object.finish() : CompletableFuture.completedFuture(null);
        sealed = written.whenComplete((done, error) -> owned.end(object.object()));
        return sealed;
    }

    @Override
    public synchronized void abort() {
        if (state == State.OPEN) {
            state = State.ABORTED;
            owned.end(object.object());
            object.abort();
        }
    }
}
