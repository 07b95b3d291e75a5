// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One object that carries the small files of all tasks of a process for one checkpoint: its tables, manifest bases and
 * deltas. Thread-safe. Nothing is written to the store when nothing was appended.
 */
public interface Pack {
    /** Appends one file and says at once where it will be. The buffers may be reused when this returns. */
    ObjectRange append(List<ByteBuffer> file);

    /**
     * Ends the pack. Completes when all that was appended is durable; at once when nothing was appended.
     * Appending afterwards is an error.
     */
    CompletableFuture<Void> seal();

    /** Gives up: what was appended is not kept. Idempotent, and without effect after a successful seal. */
    void abort();
}
