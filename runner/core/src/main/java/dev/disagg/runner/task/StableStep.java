// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.KeyRange;

/**
 * One step of what a task with stable input does, in order, from a snapshot on: timers may know of this watermark and this
 * time; when those that are due have fired, the elements go in that waited by then.
 *
 * @param range of the keys whose elements these are
 * @param lastNumber of the elements in the task's inbox, in this range, that no earlier step took; less than any for none
 * @param watermarkMillis event time that timers may know of
 * @param timeMillis processing time that timers may know of, since the epoch
 */
public record StableStep(KeyRange range, long lastNumber, long watermarkMillis, long timeMillis) {}
