// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Puts a distance in front of a store: each request waits a fixed latency and for its bytes on one shared link of a
 * given bandwidth, and is then made. Requests overlap; no thread is parked. Closing it closes the store below.
 * Thread-safe.
 */
public final class LatencyStore implements ObjectStore {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ObjectStore below;
    private final Scheduler scheduler;
    private final long latencyNanos;
    private final double nanosPerByte;
    /** When the link has sent all that it was given; guarded by this. */
    private long linkFreeNanos;

    /** @param bytesPerSecond of the link, shared by both directions; 0 for a link without limit */
    public LatencyStore(ObjectStore below, Scheduler scheduler, Duration latency, long bytesPerSecond) {
        if (latency.isNegative() || bytesPerSecond < 0) {
            throw new Invalid("latency " + latency + " and bandwidth " + bytesPerSecond + " must not be negative");
        }
        this.below = below;
        this.scheduler = scheduler;
        this.latencyNanos = latency.toNanos();
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : NANOS_PER_SECOND / bytesPerSecond;
        this.linkFreeNanos = scheduler.nanoTime();
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        ByteBuffer kept = copy(bytes);
        return later(kept.remaining(), () -> below.put(name, kept));
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        ByteBuffer kept = copy(bytes);
        return later(kept.remaining(), () -> below.putIfAbsent(name, kept));
    }

    /** The whole object is charged when it is finished. */
    @Override
    public ObjectWriter create(String name) {
        ObjectWriter writer = below.create(name);
        return new ForwardingWriter(writer) {
            @Override
            public CompletableFuture<Void> finish() {
                return later(position(), super::finish);
            }
        };
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        return later(length, () -> below.read(name, offset, length));
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return later(0, () -> below.size(name));
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return later(0, () -> below.list(prefix, startAfter, limit));
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        List<String> kept = List.copyOf(names);
        return later(0, () -> below.delete(kept));
    }

    @Override
    public void close() {
        below.close();
    }

    /** The caller may reuse its buffer when a call returns, so what waits is a copy. */
    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer kept = ByteBuffer.allocate(bytes.remaining());
        kept.put(bytes.duplicate()).flip();
        return kept;
    }

    private <T> CompletableFuture<T> later(long bytes, Supplier<CompletableFuture<T>> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            scheduler.schedule(delayNanos(bytes), () -> forward(request, result));
        } catch (RuntimeException e) {
            result.completeExceptionally(new Failed("the scheduler in front of the store refused a request", e));
        }
        return result;
    }

    private static <T> void forward(Supplier<CompletableFuture<T>> request, CompletableFuture<T> result) {
        CompletableFuture<T> answer;
        try {
            answer = request.get();
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((value, error) -> {
            if (error == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(Await.kind(error));
            }
        });
    }

    private synchronized long delayNanos(long bytes) {
        long now = scheduler.nanoTime();
        if (linkFreeNanos - now < 0) {
            linkFreeNanos = now;
        }
        linkFreeNanos += (long) (bytes * nanosPerByte);
        return latencyNanos + (linkFreeNanos - now);
    }
}
