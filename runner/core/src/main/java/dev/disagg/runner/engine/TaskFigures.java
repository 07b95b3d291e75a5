// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.async.AsyncMetrics;
import dev.disagg.state.cell.CellMetrics;
import java.util.Optional;

/**
 * How one task is doing: figures of about one moment, each true for itself.
 *
 * @param stage the stage's name, as {@code --explain} prints it
 * @param index of the task among those of its stage
 * @param processedElements taken in since the job was started or restored
 * @param watermarkMillis the output watermark released last, milliseconds since the epoch
 * @param async its asynchronous execution: in flight, waiting, parked, hand-overs, drains
 * @param cells its state in memory; empty for a task that keeps none
 */
public record TaskFigures(
        String stage,
        int index,
        long processedElements,
        long watermarkMillis,
        AsyncMetrics async,
        Optional<CellMetrics> cells) {}
