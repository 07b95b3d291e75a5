// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a job is to be run: the engine's part of the options.
 *
 * @param stateUri root of the object store
 * @param stateMemoryBytes for state, of all tasks together
 * @param localDirectory for backends that keep files on local disk
 * @param slowCallTime after which a call of user code is named in the log
 * @param maxCallTime after which a call of user code fails the job; zero for never
 * @param checkpointInterval zero for no periodic checkpoints
 * @param restore what to start from; empty for a fresh start, which a used directory refuses
 * @param removeWhenDone whether the job's files go when it has ended by itself
 * @param smallPaneBytes up to which a pane of a side input is handed over by value
 * @param stateLatency put in front of each request, for tests and benchmarks
 * @param progressInterval zero for no progress lines
 * @param delayedReads seed of a test mode
 */
public record JobSpec(
        String jobName,
        String stateUri,
        String stateBackend,
        long stateMemoryBytes,
        Path localDirectory,
        boolean asyncState,
        java.util.function.Predicate<String> synchronous,
        int maxInFlightComputations,
        int maxParkedComputations,
        Duration slowCallTime,
        Duration maxCallTime,
        int maxBundleElements,
        Duration maxBundleTime,
        Duration checkpointInterval,
        Duration checkpointTimeout,
        int retainedCheckpoints,
        Optional<String> restore,
        boolean removeWhenDone,
        boolean copyElements,
        int smallPaneBytes,
        Duration stateLatency,
        Duration progressInterval,
        Optional<Long> delayedReads) {

    public boolean checkpointing() {
        return !checkpointInterval.isZero();
    }
}
