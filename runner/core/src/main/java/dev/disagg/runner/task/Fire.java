// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Computation;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.TimerDomain;
import org.jspecify.annotations.Nullable;

/** The firing of all due timers of one key and domain: one unit of work. */
final class Fire extends Computation {
    final KeyedTask task;
    final KeyEntry entry;
    final TimerDomain domain;
    final long beforeMillis;

    @Nullable
    Throwable readFailure;

    /** The key's own row had to be read. */
    boolean wasCold;

    Fire(KeyedTask task, KeyEntry entry, TimerDomain domain, long beforeMillis) {
        this.task = task;
        this.entry = entry;
        this.domain = domain;
        this.beforeMillis = beforeMillis;
    }

    @Override
    protected boolean prepare() {
        return task.prefetch().prepare(this);
    }

    @Override
    protected void run() {
        task.bodies().fire(this);
    }

    @Override
    protected void finished() {
        task.fired(this);
        entry.unpin();
    }

    @Override
    protected String describe() {
        return task.describe(entry.key()) + ", timers";
    }
}
