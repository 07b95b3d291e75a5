// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.UnifiedFileSystem;
import java.util.concurrent.Executor;

/** What all stores of a process share. */
record LsmShared(
        UnifiedFileSystem ufs,
        LsmOptions options,
        TableReaders readers,
        MemoryPool pool,
        Executor flushes,
        CompactionService compactions) {}
