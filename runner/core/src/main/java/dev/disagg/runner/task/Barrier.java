// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

/**
 * A checkpoint's border.
 *
 * @param checkpoint its number
 */
public record Barrier(long checkpoint) {}
