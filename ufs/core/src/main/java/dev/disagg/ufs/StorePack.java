// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A pack: kept in memory and put as one object, or, past a few MiB, streamed. Guarded by this. */
final class StorePack implements Pack {
    /** Below, one put; above, memory would grow with the checkpoint. The smallest part of a multipart upload is 5 MiB. */
    static final int STREAM_ABOVE_BYTES = 4 << 20;

    private static final int FIRST_BYTES = 4096;

    private enum State {
        OPEN,
        SEALED,
        ABORTED
    }

    private final ObjectStore store;
    private final Retries retries;
    private final OwnedObjects owned;
    private final String object;
    private byte[] buffer = {};
    private int buffered;
    private long position;
    private boolean used;
    private State state = State.OPEN;
    private ObjectStore.@Nullable ObjectWriter writer;
    private @Nullable CompletableFuture<Void> sealed;

    StorePack(ObjectStore store, Retries retries, OwnedObjects owned, String object) {
        this.store = store;
        this.retries = retries;
        this.owned = owned;
        this.object = object;
        owned.begin(object);
    }

    @Override
    public synchronized ObjectRange append(List<ByteBuffer> file) {
        if (state != State.OPEN) {
            throw new Invalid("pack '" + object + "' is " + (state == State.SEALED ? "sealed" : "aborted")
                    + "; append to a new one");
        }
        long length = 0;
        for (ByteBuffer part : file) {
            length += part.remaining();
        }
        try {
            write(file, length);
        } catch (RuntimeException e) {
            abort(); // what the object holds now is unknown
            throw e;
        }
        ObjectRange range = new ObjectRange(object, position, length);
        position += length;
        used = true;
        return range;
    }

    private void write(List<ByteBuffer> file, long length) {
        if (writer == null && position + length > STREAM_ABOVE_BYTES) {
            writer = store.create(object);
            writer.write(ByteBuffer.wrap(buffer, 0, buffered));
            buffer = new byte[0];
        }
        for (ByteBuffer part : file) {
            if (writer != null) {
                writer.write(part.duplicate());
            } else {
                buffer(part.duplicate());
            }
        }
    }

    private void buffer(ByteBuffer part) {
        int length = part.remaining();
        if (buffer.length - buffered < length) {
            buffer = Arrays.copyOf(buffer, Math.max(Math.max(FIRST_BYTES, buffer.length * 2), buffered + length));
        }
        part.get(buffer, buffered, length);
        buffered += length;
    }

    @Override
    public synchronized CompletableFuture<Void> seal() {
        if (sealed != null) {
            return sealed;
        }
        if (state == State.ABORTED) {
            return CompletableFuture.failedFuture(new Invalid("pack '" + object + "' is aborted"));
        }
        state = State.SEALED;
        CompletableFuture<Void> written;
        if (!used) {
            written = CompletableFuture.completedFuture(null);
        } else if (writer != null) {
            written = writer.finish();
        } else {
            ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, buffered).asReadOnlyBuffer();
            written = retries.call("put pack '" + object + "'", () -> store.put(object, bytes.duplicate()));
        }
        buffer = new byte[0];
        sealed = written.whenComplete((done, error) -> owned.end(object));
        return sealed;
    }

    @Override
    public synchronized void abort() {
        if (state != State.OPEN) {
            return;
        }
        state = State.ABORTED;
        buffer = new byte[0];
        owned.end(object);
        if (writer != null) {
            writer.close();
        }
    }
}
