// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

/** One age of a family's entries within a {@link Version}: a memtable that is no longer written, or a run of tables. */
sealed interface Layer permits MemLayer, RunLayer {
    /** Age: of two layers of a family of one level the greater is the newer. */
    long run();
}
