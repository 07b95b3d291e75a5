// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Computation;
import dev.disagg.state.cell.KeyEntry;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** An element with its encoded key, on its way to the one task that owns the key, where it is also the unit of work. */
final class KeyedElement extends Computation {
    final WindowedValue<?> value;
    final byte[] key;
    final long hash;
    /** The edge that it came by: says how it is encoded, if it must be. */
    final int edge;

    @Nullable
    KeyedTask task;

    @Nullable
    KeyEntry entry;

    @Nullable
    Throwable readFailure;

    /** The key's own row had to be read. */
    boolean wasCold;

    @Nullable
    Runnable whenDone;

    KeyedElement(WindowedValue<?> value, byte[] key, long hash, int edge) {
        this.value = value;
        this.key = key;
        this.hash = hash;
        this.edge = edge;
    }

    KeyEntry entry() {
        KeyEntry owned = entry;
        if (owned == null) {
            throw new IllegalStateException("an element was run before it was admitted");
        }
        return owned;
    }

    private KeyedTask task() {
        KeyedTask owner = task;
        if (owner == null) {
            throw new IllegalStateException("an element was run before it was admitted");
        }
        return owner;
    }

    @Override
    protected boolean prepare() {
        return task().prefetch().prepare(this);
    }

    @Override
    protected void run() {
        task().bodies().process(this);
    }

    @Override
    protected void finished() {
        KeyEntry owned = entry;
        if (owned != null) {
            owned.unpin();
        }
        if (whenDone != null) {
            whenDone.run();
        }
    }

    @Override
    protected long weightBytes() {
        return task().sizes().bytes(this);
    }

    @Override
    protected String describe() {
        return task().describe(key);
    }
}
