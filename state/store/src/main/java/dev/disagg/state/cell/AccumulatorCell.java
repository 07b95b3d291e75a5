// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The running accumulator of a combine. Leader only. */
public final class AccumulatorCell<A> extends ScalarCell {
    private final CellCodec<A> codec;
    private final BinaryOperator<A> merge;
    private final Supplier<A> identity;
    private final boolean shared;
    /** Operands from the store that are not merged yet; only when known. */
    private byte @Nullable [] operands;
    /** Merged: the whole when known and {@link #operands} is null, else what was added. No one else's object. */
    private @Nullable A live;
    /** Estimate of the size of {@link #live}; exact after each encoding. */
    private int liveBytes;

    AccumulatorCell(Row row, int cell, CellCodec<A> codec, BinaryOperator<A> merge, Supplier<A> identity) {
        super(row, cell);
        this.codec = codec;
        this.merge = merge;
        this.identity = identity;
        this.shared = codec.immutable();
    }

    /** The accumulator, identity when empty; a fresh copy when the type can be changed. Needs {@link #resident}. */
    public A read() {
        requireResident();
        A value = fold();
        if (value == null) {
            return identity.get();
        }
        return shared ? value : copy(value);
    }

    /** Merges {@code delta} in; reads nothing. The caller may change {@code delta} afterwards. */
    public void add(A delta) {
        addOwned(shared ? delta : copy(delta));
    }

    /** As {@link #add}, without its copy: {@code delta} is the cell's from now on. */
    public void addOwned(A delta) {
        row.beforeChange();
        A value = known ? fold() : live;
        A merged = value == null ? delta : merge.apply(value, delta);
        live = merged;
        // What a merge adds to an accumulator that can be changed is not known: a little each time, put right when
        // written.
        liveBytes = shared ? codec.sizeBytes(merged) : Math.min(Integer.MAX_VALUE / 4, liveBytes + 16);
        if (dirtyBytes != liveBytes + CellCache.CELL_BYTES) {
            account(liveBytes, liveBytes + CellCache.CELL_BYTES);
        }
    }

    /** Replaces the accumulator; reads nothing. The caller may change it afterwards. */
    public void write(A accumulator) {
        row.beforeChange();
        A own = shared ? accumulator : copy(accumulator);
        operands = null;
        live = own;
        liveBytes = shared ? codec.sizeBytes(own) : liveBytes + 16;
        known = true;
        account(liveBytes, liveBytes + CellCache.CELL_BYTES);
    }

    /** Empties the cell; reads nothing. */
    public void clear() {
        clearContent();
    }

    /** Needs {@link #resident}, unless something was added since the cell left the store. */
    public boolean isEmpty() {
        if (live != null) {
            return false;
        }
        requireResident();
        return live == null && operands == null;
    }

    @Override
    void clearContent() {
        row.beforeChange();
        operands = null;
        live = null;
        liveBytes = 0;
        known = true;
        account(0, stored ? CellCache.CELL_BYTES : 0);
    }

    @Override
    void fill(byte @Nullable [] content) {
        operands = content;
        int size = liveBytes + (content == null ? 0 : content.length);
        account(size, live == null ? 0 : size + CellCache.CELL_BYTES);
    }

    @Override
    void writeBack() {
        A value = known ? fold() : live;
        if (value == null) {
            deleteStored();
            account(0, 0);
            return;
        }
        ByteSink operand = row.cache.operand(row, id, codec, value);
        liveBytes = shared ? codec.sizeBytes(value) : 16 + operand.length;
        if (known) {
            store(operand.copy());
        } else {
            append(operand.copy());
            live = null;
            liveBytes = 0;
        }
        account(liveBytes, 0);
    }

    @Override
    void leave() {
        super.leave();
        operands = null;
        live = null;
        liveBytes = 0;
    }

    @Override
    String kind() {
        return "an accumulator";
    }

    /** Stored operands, oldest first, then what was added since. */
    private @Nullable A fold() {
        byte[] stored = operands;
        if (stored == null) {
            return live;
        }
        A merged = null;
        for (Operands each = new Operands(stored, 0, stored.length); each.advance(); ) {
            A operand = row.cache.decode(row, id, codec, stored, each.start(), each.length());
            merged = merged == null ? operand : merge.apply(merged, operand);
        }
        A added = live;
        live = added == null ? merged : merged == null ? added : merge.apply(merged, added);
        liveBytes += stored.length;
        operands = null;
        return live;
    }

    private A copy(A value) {
        byte[] bytes = row.cache.encode(row, id, codec, value);
        liveBytes = Math.max(liveBytes, bytes.length);
        return row.cache.decode(row, id, codec, bytes, 0, bytes.length);
    }
}
