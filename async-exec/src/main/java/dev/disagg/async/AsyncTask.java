// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sequencer of one task. */
public final class AsyncTask implements AutoCloseable {
    /** Round trips that {@link Computation#prepare} may ask for before the body runs anyway. */
    public static final int MAX_FETCH_ROUNDS = 8;

    public AsyncTask(String name, Duty duty, AsyncOptions options) {}

    public void start() {
        throw new UnsupportedOperationException();
    }

    public void execute(Runnable call) {
        throw new UnsupportedOperationException();
    }

    public void wake() {
        throw new UnsupportedOperationException();
    }

    public void scanReady() {
        throw new UnsupportedOperationException();
    }

    public void ready(Computation computation) {
        throw new UnsupportedOperationException();
    }

    public void fail(Throwable cause) {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Void> terminated() {
        throw new UnsupportedOperationException();
    }

    public void admit(KeySlot slot, Computation computation) {
        throw new UnsupportedOperationException();
    }

    public void admitTo(Epoch epoch, KeySlot slot, Computation computation) {
        throw new UnsupportedOperationException();
    }

    /** Derived work of the running computation's key, before everything that waits for the key. */
    public void admitNext(Computation computation) {
        throw new UnsupportedOperationException();
    }

    /** Computations that may still be admitted before the in-flight bound; 0 at the bound. */
    public int room() {
        throw new UnsupportedOperationException();
    }

    public Epoch openEpoch() {
        throw new UnsupportedOperationException();
    }

    public Epoch seal(@Nullable Object attachment, EpochScan scan) {
        throw new UnsupportedOperationException();
    }

    public boolean canSeal() {
        throw new UnsupportedOperationException();
    }

    public <T> T await(CompletableFuture<T> future) {
        throw new UnsupportedOperationException();
    }

    /** As await, but holds the task: for steps that must not be interleaved. */
    public <T> T awaitBlocking(CompletableFuture<T> future) {
        throw new UnsupportedOperationException();
    }

    public void requestDrain() {
        throw new UnsupportedOperationException();
    }

    public boolean isDraining() {
        throw new UnsupportedOperationException();
    }

    public void resumeInput() {
        throw new UnsupportedOperationException();
    }

    public void checkFailed() {
        throw new UnsupportedOperationException();
    }

    public @Nullable Computation current() {
        throw new UnsupportedOperationException();
    }

    public Worker currentWorker() {
        throw new UnsupportedOperationException();
    }

    public boolean isLeader() {
        throw new UnsupportedOperationException();
    }

    public int inFlight() {
        throw new UnsupportedOperationException();
    }

    public AsyncMetrics metrics() {
        throw new UnsupportedOperationException();
    }

    public void shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
