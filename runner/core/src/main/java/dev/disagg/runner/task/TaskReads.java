// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncTask;
import dev.disagg.runner.state.Reads;
import java.util.concurrent.CompletableFuture;

/** Reads that hand the task's leadership over while they wait. */
class TaskReads implements Reads {
    final AsyncTask async;

    TaskReads(AsyncTask async) {
        this.async = async;
    }

    @Override
    public <T> T await(CompletableFuture<T> read) {
        return async.await(read);
    }

    @Override
    public void beforeRead() {}

    @Override
    public void check() {
        async.checkFailed();
    }
}
