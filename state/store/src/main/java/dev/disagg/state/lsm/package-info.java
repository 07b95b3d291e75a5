// SPDX-License-Identifier: Apache-2.0
/**
 * The log-structured merge tree of one task, whose home is the object store.
 *
 * <pre>
 *  write ─> Memtable ─(freeze)─> MemLayer ─(Flush)─> RunLayer of level 0 ─(CompactionService)─> RunLayer of level 1
 *  read  <── Memtable, then the layers of the Version, newest first
 *  freeze ─> Snapshot ─> manifest (an OwnerRecord whose links are ManifestTables)
 * </pre>
 *
 * <p>Decisions are pure: {@code Fold} (what one key's entries become), {@code CompactionPicker} (what to merge next),
 * {@code OpenPlan} (what a store opened from manifests consists of), over immutable values ({@code Version},
 * {@code Layer}, {@code ManifestTable}). {@code LsmStore} only sequences them and belongs to the task's leader;
 * flush and compaction run on injected executors and hand their results back through a queue that the leader empties.
 *
 * <p>Must never know: what keys and values mean beyond the layouts of {@link dev.disagg.state.Family}, Beam, clocks.
 */
@NullMarked
package dev.disagg.state.lsm;

import org.jspecify.annotations.NullMarked;
