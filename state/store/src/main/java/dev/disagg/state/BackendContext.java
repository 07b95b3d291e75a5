// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import dev.disagg.ufs.UnifiedFileSystem;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/**
 * What a process gives to its state backend. All of it stays the giver's: a backend closes none of it.
 *
 * @param files of the job
 * @param background runs flushes, uploads and downloads, which wait for the object store: at least two threads, none of
 *     which is needed to complete a read
 * @param compactions runs compactions, which may be long; as {@code background} otherwise
 * @param memoryBytes for what all stores of the process keep in memory
 * @param localDirectory under which a backend that keeps files on local disk makes a directory of its own; it need not
 *     exist
 */
public record BackendContext(
        UnifiedFileSystem files, Executor background, Executor compactions, long memoryBytes, Path localDirectory) {}
