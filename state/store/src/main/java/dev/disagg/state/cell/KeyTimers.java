// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The exact timers of one key, over all its windows. All but the first two methods need {@link #resident}. Leader only. */
public final class KeyTimers {
    /** Whether every timer of the key is in memory. */
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    /** Reads the key's own row, timers included; as {@link Row#fetch}. */
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** Sets a timer; replaces the one of the same domain and id. */
    public void set(Timer timer) {
        throw new UnsupportedOperationException();
    }

    /** Clears a timer; nothing happens when there is none. */
    public void clear(TimerDomain domain, byte[] id) {
        throw new UnsupportedOperationException();
    }

    public @Nullable Timer get(TimerDomain domain, byte[] id) {
        throw new UnsupportedOperationException();
    }

    /** The timer of the smallest (timestamp, id) with its timestamp before the bound; null when there is none. */
    public @Nullable Timer firstDue(TimerDomain domain, long beforeMillisExclusive) {
        throw new UnsupportedOperationException();
    }

    /** Removes a timer that fired; nothing happens when it was replaced or cleared meanwhile. */
    public void remove(Timer timer) {
        throw new UnsupportedOperationException();
    }

    /** Timers of both domains. */
    public int count() {
        throw new UnsupportedOperationException();
    }
}
