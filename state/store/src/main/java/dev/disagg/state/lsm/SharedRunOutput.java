// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;

/** Takes the entries of one shared run. Blocks for what it needs; one user at a time. */
interface SharedRunOutput {
    void add(ByteStore.Entry entry);

    /** Ends the run: durable when this returns. */
    StoredRun finish();

    /** Gives up, and deletes what was written. */
    void discard();
}
