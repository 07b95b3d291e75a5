// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts a distance in front of a store: each request waits a fixed latency and for its bytes on one shared link of a
 * given bandwidth, and is then made. Requests overlap; no thread is parked. Closing it closes the store below.
 * Thread-safe.
 *
 * <p>Requests are due in the order in which they came: the latency is the same for all, and the link sends one after the
 * other. So one delay is asked of the scheduler at a time, however many requests wait, and what is due by then is made together.
 */
public final class LatencyStore implements ObjectStore {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ObjectStore below;
    private final Scheduler scheduler;
    private final long latencyNanos;
    private final double nanosPerByte;
    /** Not due yet, in the order in which they are; guarded by this, as all that follows. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Whether the scheduler was asked to come back. */
    private boolean scheduled;
    /** When the link has sent all that it was given. */
    private long linkFreeNanos;

    private record Waiting(long dueNanos, Runnable request, Consumer<RuntimeException> refuse) {}

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
        Consumer<RuntimeException> refuse = e ->
                result.completeExceptionally(new Failed("the scheduler in front of the store refused a request", e));
        long delayNanos;
        synchronized (this) {
            long now = scheduler.nanoTime();
            delayNanos = delayNanos(bytes, now);
            waiting.add(new Waiting(now + delayNanos, () -> forward(request, result), refuse));
            if (scheduled) {
                return result;
            }
            scheduled = true;
        }
        schedule(delayNanos);
        return result;
    }

    private void schedule(long delayNanos) {
        try {
            scheduler.schedule(delayNanos, this::makeDue);
        } catch (RuntimeException e) {
            List<Waiting> refused;
            synchronized (this) {
                scheduled = false;
                refused = List.copyOf(waiting);
                waiting.clear();
            }
            refused.forEach(one -> one.refuse().accept(e));
        }
    }

    private void makeDue() {
        List<Waiting> due = new ArrayList<>();
        while (true) {
            long nextNanos = 0;
            synchronized (this) {
                long now = scheduler.nanoTime();
                for (Waiting one = waiting.peek(); one != null && one.dueNanos() - now <= 0; one = waiting.peek()) {
                    due.add(waiting.remove());
                }
                if (due.isEmpty()) {
                    Waiting next = waiting.peek();
                    if (next == null) {
                        scheduled = false;
                        return;
                    }
                    nextNanos = next.dueNanos() - now;
                }
            }
            if (due.isEmpty()) {
                schedule(nextNanos);
                return;
            }
            due.forEach(one -> one.request().run());
            due.clear();
        }
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

    /** Call it holding the lock. */
    private long delayNanos(long bytes, long now) {
        if (linkFreeNanos - now < 0) {
            linkFreeNanos = now;
        }
        linkFreeNanos += (long) (bytes * nanosPerByte);
        return latencyNanos + (linkFreeNanos - now);
    }
}
