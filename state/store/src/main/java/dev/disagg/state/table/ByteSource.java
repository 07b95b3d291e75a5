// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Where a table's bytes come from: an object's range, a local file, memory. Offset 0 is the table's first byte.
 * Thread-safe.
 */
@FunctionalInterface
public interface ByteSource {
    /**
     * Reads exactly {@code length} bytes at {@code offset}.
     *
     * @return a buffer whose remaining bytes are those asked for and which the source does not change afterwards; may
     *     complete on any thread, which then decompresses and searches the block. Fails with
     *     {@link dev.disagg.ufs.Unavailable} or {@link dev.disagg.ufs.Corrupt}; fewer bytes than asked for are taken as
     *     {@code Corrupt} by the reader
     */
    CompletableFuture<ByteBuffer> read(long offset, int length);
}
