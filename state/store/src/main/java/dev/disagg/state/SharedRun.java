// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

/**
 * Entries that one task wrote, sorted, into an object of the job's files, for any number of tasks to read where they lie.
 * Every key is {@code [row][number 8]}: entries of one row are adjacent, in the order of their numbers.
 *
 * <p>Reads go through the process's block cache. A store that reads a run links it ({@link ByteStore#link}): then its
 * manifests name the run, and it stays as long as a checkpoint that names it. Before any manifest has named it, the run
 * lives as long as somebody in this process holds it.
 *
 * <p>Immutable and thread-safe. Failures of reads: those of {@link ByteStore}.
 */
public interface SharedRun {
    /** Length of the number at the end of each key. */
    int NUMBER_BYTES = 8;

    /** Unique in the store: the name of the object. */
    String name();

    /** Stored size. */
    long bytes();

    long entries();

    /** The entries of {@code row}, by number. A row that is not there is nearly always known without reading a block. */
    default ByteStore.Cursor row(byte[] row) {
        return row(row, 0);
    }

    /** As {@link #row(byte[])}, from the entry of this number on; numbers sort as unsigned. */
    ByteStore.Cursor row(byte[] row, long firstNumber);

    /** The entries whose rows begin with {@code prefix}, by row and number. */
    ByteStore.Cursor rows(byte[] prefix);

    /** One more holder. */
    void retain();

    /**
     * One holder less. When the last one lets go of a run that this process wrote and that no manifest names, it is
     * deleted; nobody may read it then.
     */
    void release();
}
