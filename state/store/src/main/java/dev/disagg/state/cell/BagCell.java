// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * A bag of values, in the order they were added. All of it is in memory when it is resident; what is too much for that is
 * moved to a collection of pages by its owner. Leader only.
 */
public final class BagCell<T> extends ScalarCell {
    private final CellCodec<T> codec;
    private final boolean shared;
    /** Operands: what is known, or what was added to an unknown bag. Bytes before {@link #length} never change. */
    private byte[] operands = KeyLayout.EMPTY;

    private int length;
    /** How many of them the store has. */
    private int storedLength;
    /** The store holds what was cleared: the next write replaces it. */
    private boolean replace;

    /** Values of an immutable type, decoded up to {@link #decodedLength}. Only ever appended to, so views stay right. */
    private @Nullable Object[] values = NONE;

    private int valueCount;
    private int decodedLength;

    private static final @Nullable Object[] NONE = {};

    BagCell(Row row, int cell, CellCodec<T> codec) {
        super(row, cell);
        this.codec = codec;
        this.shared = codec.immutable();
    }

    /** What is in the bag now; unmodifiable, and later calls do not change it. Needs {@link #resident}. */
    public List<T> read() {
        requireResident();
        if (!shared) {
            List<T> copies = new ArrayList<>();
            for (Operands each = new Operands(operands, 0, length); each.advance(); ) {
                copies.add(row.cache.decode(row, id, codec, operands, each.start(), each.length()));
            }
            return Collections.unmodifiableList(copies);
        }
        if (decodedLength < length) {
            for (Operands each = new Operands(operands, decodedLength, length); each.advance(); ) {
                push(row.cache.decode(row, id, codec, operands, each.start(), each.length()));
            }
            decodedLength = length;
            account(memoryBytes(), dirtyBytes);
        }
        return new View<>(values, valueCount);
    }

    /** Reads nothing. */
    public void add(T value) {
        row.beforeChange();
        ByteSink operand = row.cache.operand(row, id, codec, value);
        int end = Math.addExact(length, operand.length);
        if (end > operands.length) {
            operands = Arrays.copyOf(operands, Math.max(end, length + (length >> 1)));
        }
        System.arraycopy(operand.bytes, 0, operands, length, operand.length);
        if (shared && decodedLength == length && known) {
            push(value);
            decodedLength = end;
        }
        length = end;
        changed();
    }

    /** Needs {@link #resident}, unless something was added since the cell left the store. */
    public boolean isEmpty() {
        if (length > 0) {
            return false;
        }
        requireResident();
        return length == 0;
    }

    /** Encoded bytes that memory has of the bag: all when it is resident, else what was added since it left the store. */
    public int bytes() {
        return length;
    }

    /**
     * Moves all values to {@code pages}, of the same row, as its last entries, and so empties the bag. Sub-keys are numbers
     * that grow; a value is a sequence of operands, as a stored bag is, of about {@code pageBytes}. Needs both resident.
     */
    public void moveTo(CollectionCell pages, int pageBytes) {
        requireResident();
        pages.requireResident();
        int from = 0;
        int end = 0;
        for (Operands each = new Operands(operands, 0, length); each.advance(); ) {
            if (end > from && each.start() + each.length() - from > pageBytes) {
                movePage(pages, from, end);
                from = end;
            }
            end = each.start() + each.length();
        }
        if (end > from) {
            movePage(pages, from, end);
        }
        clearContent();
    }

    private void movePage(CollectionCell pages, int from, int end) {
        byte[] number = new byte[8];
        KeyLayout.setLong(number, 0, row.cache.nextGeneration());
        pages.put(number, Arrays.copyOfRange(operands, from, end));
    }

    /** The values of a page that {@link #moveTo} made. */
    public List<T> readPage(byte[] page) {
        List<T> values = new ArrayList<>();
        for (Operands each = new Operands(page, 0, page.length); each.advance(); ) {
            values.add(row.cache.decode(row, id, codec, page, each.start(), each.length()));
        }
        return values;
    }

    /** Empties the bag; reads nothing. */
    public void clear() {
        clearContent();
    }

    @Override
    void clearContent() {
        row.beforeChange();
        reset(KeyLayout.EMPTY);
        known = true;
        replace = stored;
        changed();
    }

    @Override
    void fill(byte @Nullable [] content) {
        byte[] pending = Arrays.copyOf(operands, length);
        if (content == null) {
            reset(pending);
        } else if (pending.length == 0) {
            reset(content);
        } else {
            byte[] all = Arrays.copyOf(content, Math.addExact(content.length, pending.length));
            System.arraycopy(pending, 0, all, content.length, pending.length);
            reset(all);
        }
        storedLength = content == null ? 0 : content.length;
        replace = false;
        changed();
    }

    @Override
    void writeBack() {
        if (!known) {
            append(Arrays.copyOf(operands, length));
            reset(KeyLayout.EMPTY);
        } else if (length == 0) {
            deleteStored();
        } else if (replace || storedLength == 0) {
            store(Arrays.copyOf(operands, length));
        } else {
            append(Arrays.copyOfRange(operands, storedLength, length));
        }
        replace = false;
        storedLength = length;
        changed();
    }

    @Override
    void leave() {
        super.leave();
        reset(KeyLayout.EMPTY);
    }

    @Override
    String kind() {
        return "a bag";
    }

    private void changed() {
        int pending = length - storedLength;
        account(memoryBytes(), pending > 0 || replace ? pending + CellCache.CELL_BYTES : 0);
    }

    private int memoryBytes() {
        return operands.length + 24 * valueCount + (shared ? decodedLength : 0);
    }

    private void reset(byte[] to) {
        operands = to;
        length = to.length;
        storedLength = 0;
        values = NONE;
        valueCount = 0;
        decodedLength = 0;
    }

    private void push(T value) {
        if (valueCount == values.length) {
            values = Arrays.copyOf(values, Math.max(4, valueCount + (valueCount >> 1)));
        }
        values[valueCount++] = value;
    }

    private static final class View<T> extends AbstractList<T> implements RandomAccess {
        private final @Nullable Object[] values;
        private final int size;

        View(@Nullable Object[] values, int size) {
            this.values = values;
            this.size = size;
        }

        @Override
        @SuppressWarnings("unchecked")
        public T get(int index) {
            return (T) values[java.util.Objects.checkIndex(index, size)];
        }

        @Override
        public int size() {
            return size;
        }
    }
}
