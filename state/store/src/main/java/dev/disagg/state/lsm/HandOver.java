// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The one door from background threads to a store's leader: results wait here until the leader's next call. Bounded by
 * the number of flushes and compactions in flight. Thread-safe.
 */
final class HandOver {
    /**
     * A result of background work.
     *
     * @param install done by the leader
     * @param drop done instead when the store is closed
     */
    record Result(Runnable install, Runnable drop) {}

    private final ArrayDeque<Result> results = new ArrayDeque<>();
    private volatile boolean waiting;
    private boolean closed;

    void post(Result result) {
        synchronized (this) {
            if (!closed) {
                results.add(result);
                waiting = true;
                return;
            }
        }
        result.drop().run();
    }

    /** Leader: whether {@link #drain} has something to do; one volatile read. */
    boolean waiting() {
        return waiting;
    }

    /** Leader. */
    void drain() {
        for (Result result : take(false)) {
            result.install().run();
        }
    }

    void close() {
        for (Result result : take(true)) {
            result.drop().run();
        }
    }

    private synchronized List<Result> take(boolean close) {
        List<Result> taken = new ArrayList<>(results);
        results.clear();
        waiting = false;
        closed |= close;
        return taken;
    }
}
