// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A cell with one entry in class 0 of its row.
 *
 * <p>Three facts: <em>known</em>, memory has the whole content; <em>stored</em>, the store may have something of it (so
 * emptying it takes a delete); <em>dirty</em>, memory has something that the store does not. A blind append keeps a cell
 * unknown and dirty; what is read later is put in front of it.
 */
abstract class ScalarCell implements Cell {
    final Row row;
    final int id;
    boolean known;
    boolean stored = true;
    int dirtyBytes;
    private int memoryBytes;
    private long appendedAt;
    private @Nullable CompletableFuture<byte @Nullable []> read;
    private long readAt;

    ScalarCell(Row row, int id) {
        this.row = row;
        this.id = id;
        account(0, 0);
    }

    @Override
    public final int id() {
        return id;
    }

    @Override
    public final Row row() {
        return row;
    }

    @Override
    public boolean resident() {
        return known || arrive();
    }

    @Override
    public CompletableFuture<?> fetch() {
        if (resident()) {
            return Reads.ANSWERED;
        }
        row.requireLive();
        if (row.readOut()) {
            return row.fetch();
        }
        if (read == null) {
            readAt = row.cache.now();
            read = row.get(storeKey());
        }
        CompletableFuture<?> out = read;
        return arrive() ? Reads.ANSWERED : out;
    }

    /** The stored content arrives at an unknown cell; null when there is none. Sets nothing but the content. */
    abstract void fill(byte @Nullable [] content);

    /** Whether content may arrive now; a cell that says no has given the store something that the content lacks. */
    boolean mayFill() {
        return true;
    }

    /** Gives the store what it does not have. */
    abstract void writeBack();

    /** Empties the cell. */
    abstract void clearContent();

    /** For messages. */
    abstract String kind();

    /** What comes behind the cell id in class 0. */
    byte[] sub() {
        return KeyLayout.PLAIN;
    }

    final boolean isPlain() {
        return sub().length == 0;
    }

    final byte[] storeKey() {
        return row.cellKey(KeyLayout.SCALAR, id, sub());
    }

    /** Fills from a read started at {@code clock}, unless the content is known or was appended to since. */
    final void fillAsOf(byte @Nullable [] content, long clock) {
        if (!known && mayFill() && appendedAt <= clock) {
            known = true;
            stored = content != null;
            read = null;
            fill(content);
        }
    }

    /** After a blind append reached the store: reads started before do not hold it. */
    final void appended() {
        appendedAt = row.cache.tick();
        stored = true;
    }

    final void store(byte[] value) {
        row.put(storeKey(), value);
        stored = true;
    }

    final void append(byte[] tail) {
        row.append(storeKey(), tail);
        if (known) {
            stored = true;
        } else {
            appended();
        }
    }

    final void deleteStored() {
        if (stored) {
            row.delete(storeKey());
            stored = false;
        }
    }

    /** Notes sizes now; the last step of every change. Dirty is 0 or counts something for the cell itself. */
    final void account(int contentBytes, int dirty) {
        row.requireLive();
        CellCache cache = row.cache;
        int memory = contentBytes + CellCache.CELL_BYTES;
        cache.cachedBytes += memory - memoryBytes;
        cache.dirtyBytes += dirty - dirtyBytes;
        memoryBytes = memory;
        dirtyBytes = dirty;
        if (dirty > 0) {
            if (row.dirtySince == 0) {
                cache.enqueue(row);
            }
            cache.boundDirty();
        }
    }

    /** Evicted, and nothing dirty. */
    void leave() {
        row.cache.cachedBytes -= memoryBytes;
        memoryBytes = 0;
        known = false;
    }

    /** Another object takes this cell over. */
    final void replacedBy(ScalarCell other) {
        row.cache.cachedBytes -= memoryBytes;
        row.cache.dirtyBytes -= dirtyBytes;
        other.known = known;
        other.stored = stored;
        other.appendedAt = appendedAt;
        dirtyBytes = 0;
        memoryBytes = 0;
    }

    boolean readOut() {
        arrive();
        return read != null;
    }

    final void requireResident() {
        if (!resident()) {
            row.requireLive();
            throw new IllegalStateException(
                    row.cache.describe(row, id) + " is read before it is resident: fetch it first");
        }
    }

    private boolean arrive() {
        CompletableFuture<byte @Nullable []> out = read;
        if (out != null && out.isDone()) {
            read = null;
            fillAsOf(Reads.value(out), readAt);
        }
        if (!known && row.readOut()) {
            row.arrive();
        }
        return known;
    }
}
