// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One task's ordered map of bytes per {@link Family}: what cells, timers, holds, inbox and source positions are stored
 * in, and what a backend implements. Keys sort as unsigned bytes.
 *
 * <p>Thread safety: every method is called by the task's leader alone (ownership passes with a happens-before edge).
 * Returned futures complete on any thread; they are complete already when memory holds the answer. Arrays passed in are
 * owned by the store from then on; arrays handed out are not modified by either side. A background failure (flush,
 * compaction) is kept and thrown by the next call.
 *
 * <p>Failures: {@link dev.disagg.ufs.Corrupt} for stored bytes that are not what was written,
 * {@link dev.disagg.ufs.Unavailable} when the object store did not answer after all retries.
 */
public interface ByteStore extends AutoCloseable {

    /** Replaces the value of {@code key}. */
    void put(Family family, byte[] key, byte[] value);

    /**
     * Appends {@code tail} to the value of {@code key} without reading it; an absent value counts as empty. A value that
     * is ever appended to is, by its writers' convention, a sequence of length-prefixed operands, so that concatenation
     * is all that a store or a compactor needs to know.
     */
    void append(Family family, byte[] key, byte[] tail);

    /** Removes {@code key}: what was put or appended before does not come back. */
    void delete(Family family, byte[] key);

    /** The value of {@code key}, with appended tails in order, as of this call; null when absent. */
    CompletableFuture<byte @Nullable []> get(Family family, byte[] key);

    /**
     * A view of the entries in {@code [from, to)}, in key order, as of this call: later writes do not show.
     *
     * @param to exclusive end; null for the end of the family
     * @param rowPrefix when not null, the row that the whole range lies in (see {@link #rowPrefixLength}): a filter may then
     *     answer that there is nothing, without a read
     */
    Cursor scan(Family family, byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix);

    /**
     * Freezes what was written so far; cheap, and independent of the size of the state. Writes go on at once into a new
     * memtable.
     *
     * @param header bytes of the layers above, stored with the manifest and handed back by {@link Opened#headers}
     */
    Frozen freeze(long checkpoint, byte[] header);

    /**
     * As {@link #freeze}, but some of what is frozen comes only later, as {@link Late} says: so the layers above need not
     * write all they hold back at once. Until {@link Late#complete} this store is not frozen again.
     *
     * @return null from a store that wants everything before {@link #freeze}; nothing was done then
     */
    default @Nullable Late freezeBeforeLast(long checkpoint, byte[] header) {
        return null;
    }

    /**
     * Has every manifest from the next freeze on name {@code run}, so that it stays; nothing is copied. The caller holds the
     * run until it has unlinked it.
     */
    void link(SharedRun run);

    /** Undoes {@link #link}; nothing happens when there is no run of this name. */
    void unlink(String run);

    /** The runs that are linked now, by name; after opening, those that the parents' manifests name. */
    Map<String, SharedRun> linked();

    /** Bytes of memory held now: memtables, cached index and filter blocks that this store owns. For the memory pool. */
    long memoryBytes();

    /** Lets running reads fail, stops background work of this store, releases memory. Idempotent. */
    @Override
    void close();

    /**
     * The length of the row prefix of a {@link Family#ROWS} key, that is up to and including the window bytes; layout in
     * {@link Family#ROWS}, lengths are unsigned 16-bit big-endian.
     */
    static int rowPrefixLength(byte[] key) {
        int keyLength = ((key[8] & 0xff) << 8) | (key[9] & 0xff);
        int window = 10 + keyLength + 8;
        int windowLength = ((key[window] & 0xff) << 8) | (key[window + 1] & 0xff);
        return window + 2 + windowLength;
    }

    /** Pages over a frozen view. Closing releases what it pins; a cursor read to its end is closed. */
    interface Cursor extends AutoCloseable {
        /**
         * The next entries, about {@code maxBytes} of keys and values but at least one entry; empty at the end. One page
         * at a time.
         */
        CompletableFuture<List<Entry>> next(int maxBytes);

        @Override
        void close();
    }

    /** A key and its value. */
    record Entry(byte[] key, byte[] value) {}

    /** What a snapshot will store. */
    interface Frozen {
        /**
         * Writes what is not stored yet into {@code pack} (large tables may go to objects of their own) and returns the
         * manifest. Called once, on any thread; the store goes on meanwhile.
         */
        CompletableFuture<OwnerRecord> flush(Pack pack);

        /** The pack was sealed: the next manifest may be a delta to this one. Leader. */
        void sealed();

        /** The checkpoint was given up: nothing of it will be named; the next one stores its changes again. Leader. */
        void aborted();
    }

    /**
     * A frozen view that is still written to. A write of a key that comes late is the last before the freeze: reads see it
     * from now on, and writes that came to the store itself since the freeze are newer. It has to come <em>before</em> any
     * such newer write of the same key. Rows, timers and holds can be late. Leader only.
     *
     * <p>{@link Frozen#flush} may be called before {@link #complete}; its result waits for it, and fails when the store is
     * closed first.
     */
    interface Late extends Frozen {
        void put(Family family, byte[] key, byte[] value);

        void append(Family family, byte[] key, byte[] tail);

        void delete(Family family, byte[] key);

        /** Nothing comes late any more. Idempotent; also to be called after {@link Frozen#aborted}. */
        void complete();
    }

    /**
     * A store opened from checkpoints.
     *
     * @param headers the headers of the manifests it was opened from, in their order
     */
    record Opened(ByteStore store, List<byte[]> headers) {}

    /** One manifest to open from, and the key range it was written for. */
    record Parent(KeyRange range, OwnerRecord manifest) {}
}
