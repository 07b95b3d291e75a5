// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncTask;
import dev.disagg.runner.state.Reads;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Unavailable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Reads that hand the task's leadership over while they wait. */
class TaskReads implements Reads {
    /** Longer than any read with all its retries. */
    private static final long LIMIT_MINUTES = 10;

    final AsyncTask async;

    TaskReads(AsyncTask async) {
        this.async = async;
    }

    @Override
    public <T> T await(CompletableFuture<T> read) {
        return async.await(read);
    }

    @Override
    public <T> T anywhere(Supplier<CompletableFuture<T>> read) {
        if (async.isLeader()) {
            return await(read.get());
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            async.execute(() -> {
                try {
                    CompletableFuture<?> unused = read.get().whenComplete((value, failure) -> {
                        if (failure == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    });
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                    throw e;
                }
            });
            return answer.get(LIMIT_MINUTES, TimeUnit.MINUTES);
        } catch (RejectedExecutionException e) {
            throw new Failed("state can not be read any more: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted while waiting for state of another task", e);
        } catch (TimeoutException e) {
            throw new Unavailable("state of another task did not come in " + LIMIT_MINUTES + " minutes", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known
                    ? known
                    : new Failed("state of another task can not be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void beforeRead() {}

    @Override
    public void check() {
        async.checkFailed();
        if (!async.isLeader()) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' uses state, a timer or an output of a DoFn that was called on another thread: hand over to that"
                    + " thread what this one has found, and use it there before the call ends");
        }
    }
}
