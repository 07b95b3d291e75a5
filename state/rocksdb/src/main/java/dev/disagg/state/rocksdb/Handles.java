// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.AbstractNativeReference;

/**
 * Native objects that live and end together: closed in the reverse of the order in which they were taken over, since a
 * later one may point to an earlier one. One owner at a time.
 */
final class Handles implements AutoCloseable {
    private final AtomicInteger count;
    private final Deque<AbstractNativeReference> handles = new ArrayDeque<>();

    /** @param count of all native objects of a backend that are open */
    Handles(AtomicInteger count) {
        this.count = count;
    }

    <T extends AbstractNativeReference> T own(T handle) {
        handles.push(handle);
        count.incrementAndGet();
        return handle;
    }

    /** Idempotent. */
    @Override
    public void close() {
        while (!handles.isEmpty()) {
            handles.pop().close();
            count.decrementAndGet();
        }
    }
}
