// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.ByteStore;
import java.util.List;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.jspecify.annotations.Nullable;

/**
 * What a task has done before a barrier.
 *
 * @param state null for a task without state
 * @param metrics what it has counted since it was started; not modified any more
 * @param finalizations callbacks of user code to run once the checkpoint is durable: it contains what their bundles did
 */
public record Snapshot(
        ByteStore.@Nullable Frozen state,
        MetricsContainerStepMap metrics,
        List<InMemoryBundleFinalizer.Finalization> finalizations) {}
