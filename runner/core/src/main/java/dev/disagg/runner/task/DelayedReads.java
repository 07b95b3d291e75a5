// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncTask;

/** Reads that wait before they look, so that every hand-over path is taken. */
final class DelayedReads extends TaskReads {
    private final DelaySource delays;

    DelayedReads(AsyncTask async, DelaySource delays) {
        super(async);
        this.delays = delays;
    }

    @Override
    public void beforeRead() {
        async.await(delays.next());
    }
}
