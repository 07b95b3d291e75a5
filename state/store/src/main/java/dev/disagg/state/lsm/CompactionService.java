// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.util.concurrent.CompletableFuture;

/**
 * Where compactions run: in this process or elsewhere. A compactor knows neither stores nor Beam nor user code: it
 * concatenates. Thread-safe.
 */
public interface CompactionService extends AutoCloseable {
    /**
     * Runs a job. Cancelling the future gives it up; outputs of a job that failed or was given up are discarded by the
     * service. Losing a job harms nothing: the store submits another one.
     */
    CompletableFuture<CompactionResult> submit(CompactionJob job);

    @Override
    void close();
}
