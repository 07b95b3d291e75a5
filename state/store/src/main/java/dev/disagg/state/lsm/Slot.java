// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.EntryKind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key in a memtable, as of one epoch of its {@link SlotClock}. Appends share one growing buffer: a slot
 * sees its own first {@code length} bytes, which are never written again.
 */
public final class Slot {
    /** Memory of a slot beside its bytes: itself, headers of two arrays. */
    static final int OVERHEAD_BYTES = 72;

    private static final byte[] EMPTY = {};

    /** Of the memtable's entry; the first one that was written. */
    final byte[] key;

    final EntryKind kind;
    final long epoch;
    private final byte[] buffer;
    private final int length;
    /** What snapshots taken before {@link #epoch} see; null when they see nothing, or when there is none. */
    final @Nullable Slot older;

    private Slot(byte[] key, EntryKind kind, byte[] buffer, int length, long epoch, @Nullable Slot older) {
        this.key = key;
        this.kind = kind;
        this.buffer = buffer;
        this.length = length;
        this.epoch = epoch;
        this.older = older;
    }

    /** The array that an entry's key is kept as, whoever writes it again. */
    static byte[] kept(@Nullable Slot before, byte[] key) {
        return before == null ? key : before.key;
    }

    static Slot put(byte[] key, byte[] value, long epoch, @Nullable Slot older) {
        return new Slot(key, EntryKind.PUT, value, value.length, epoch, older);
    }

    static Slot delete(byte[] key, long epoch, @Nullable Slot older) {
        return new Slot(key, EntryKind.DELETE, EMPTY, 0, epoch, older);
    }

    /** The tail after {@code before}: nothing known stays a merge, a deleted value becomes a put of the tail alone. */
    static Slot append(byte[] key, @Nullable Slot before, byte[] tail, long epoch, @Nullable Slot older) {
        if (before == null) {
            return new Slot(key, EntryKind.MERGE, tail, tail.length, epoch, older);
        }
        if (before.kind == EntryKind.DELETE) {
            return new Slot(key, EntryKind.PUT, tail, tail.length, epoch, older);
        }
        int length = Math.addExact(before.length, tail.length);
        byte[] buffer = before.buffer;
        if (length > buffer.length) {
            int grown = (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(length, before.length * 3L / 2));
            buffer = Arrays.copyOf(before.buffer, Math.max(length, grown));
            System.arraycopy(tail, 0, buffer, before.length, tail.length);
        } else {
            System.arraycopy(tail, 0, buffer, before.length, tail.length);
        }
        return new Slot(key, before.kind, buffer, length, epoch, older);
    }

    /** The slot as a snapshot of {@code epoch} sees it. */
    @Nullable
    Slot asOf(long snapshotEpoch) {
        Slot slot = this;
        while (slot != null && slot.epoch > snapshotEpoch) {
            slot = slot.older;
        }
        return slot;
    }

    /** Whether the key is gone. */
    public boolean isDelete() {
        return kind == EntryKind.DELETE;
    }

    /** The bytes; never modified. */
    public byte[] value() {
        return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
    }

    int length() {
        return length;
    }

    /** Memory held, without the key. */
    long memoryBytes() {
        return OVERHEAD_BYTES + (long) buffer.length;
    }
}
