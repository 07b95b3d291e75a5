// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import org.jspecify.annotations.Nullable;

/** One value. Leader only. */
public final class ValueCell<T> extends ScalarCell {
    private final CellCodec<T> codec;
    private final boolean shared;
    /** The value itself, of an immutable type; then {@link #bytes} is null. */
    private @Nullable T object;

    private byte @Nullable [] bytes;

    ValueCell(Row row, int cell, CellCodec<T> codec) {
        super(row, cell);
        this.codec = codec;
        this.shared = codec.immutable();
    }

    /** The value, null when there is none; a fresh copy when the type can be changed. Needs {@link #resident}. */
    public @Nullable T read() {
        T value = object;
        if (value != null) {
            return value;
        }
        if (!known) {
            requireResident();
            return read();
        }
        byte[] encoded = bytes;
        if (encoded == null) {
            return null;
        }
        value = row.cache.decode(row, id, codec, encoded, 0, encoded.length);
        if (shared && value != null) {
            object = value;
            bytes = null;
            account(codec.sizeBytes(value), dirtyBytes);
        }
        return value;
    }

    /** Replaces the value; reads nothing. */
    public void write(T value) {
        row.beforeChange();
        if (shared && value != null) {
            object = value;
            int size = codec.sizeBytes(value);
            if (dirtyBytes == size + CellCache.CELL_BYTES) {
                return;
            }
            bytes = null;
            known = true;
            account(size, size + CellCache.CELL_BYTES);
        } else {
            byte[] encoded = row.cache.encode(row, id, codec, value);
            object = null;
            bytes = encoded;
            known = true;
            account(encoded.length, encoded.length + CellCache.CELL_BYTES);
        }
    }

    /** Removes the value; reads nothing. */
    public void clear() {
        clearContent();
    }

    @Override
    void clearContent() {
        row.beforeChange();
        object = null;
        bytes = null;
        known = true;
        account(0, stored ? CellCache.CELL_BYTES : 0);
    }

    @Override
    void fill(byte @Nullable [] content) {
        bytes = content;
        account(content == null ? 0 : content.length, 0);
    }

    @Override
    void writeBack() {
        T value = object;
        if (value != null) {
            store(row.cache.encode(row, id, codec, value));
            account(codec.sizeBytes(value), 0);
            return;
        }
        if (bytes == null) {
            deleteStored();
        } else {
            store(bytes);
        }
        account(bytes == null ? 0 : bytes.length, 0);
    }

    @Override
    void leave() {
        super.leave();
        object = null;
        bytes = null;
    }

    @Override
    String kind() {
        return "a value";
    }
}
