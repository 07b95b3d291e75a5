// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * How values of one type become bytes. Called by the leader alone; two tasks may share a codec, so it keeps no state.
 *
 * @param <T> type of the values
 */
public interface CellCodec<T extends @Nullable Object> {
    /** Writes {@code value}; an exception ends the work as {@link dev.disagg.ufs.Failed}. */
    void encode(T value, OutputStream out) throws IOException;

    /** Reads one value; {@code in} ends where the value ends. */
    T decode(InputStream in) throws IOException;

    /**
     * Whether values can never be changed by anybody. Such values are shared with user code, and encoded only when they
     * leave memory. Of all others the cell keeps the bytes, taken at the write.
     */
    boolean immutable();

    /** About how many bytes of memory {@code value} takes; asked for immutable values only, at each write: be quick. */
    default int sizeBytes(T value) {
        return value instanceof String s ? 56 + s.length() : 32;
    }
}
