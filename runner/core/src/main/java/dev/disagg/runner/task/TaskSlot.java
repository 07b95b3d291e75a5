// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.KeySlot;
import dev.disagg.state.cell.KeyEntry;
import org.jspecify.annotations.Nullable;

/** What a keyed task keeps per key beside its state, in the key's cached entry. */
final class TaskSlot extends KeySlot {
    /** The chain that saw the key last. */
    @Nullable
    Chain lastChain;

    /** When it did, in the task's own count of entries into chains. */
    long lastEntered;

    static TaskSlot of(KeyEntry entry) {
        Object attached = entry.attachment;
        if (attached instanceof TaskSlot slot) {
            return slot;
        }
        TaskSlot slot = new TaskSlot();
        entry.attachment = slot;
        return slot;
    }
}
