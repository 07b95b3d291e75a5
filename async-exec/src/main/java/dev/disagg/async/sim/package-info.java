// SPDX-License-Identifier: Apache-2.0
/**
 * Simulation of a task's threads: at most one is runnable at a time, a seed chooses which, and time is virtual. One seed
 * gives one run, so a failure replays. For tests of this module and of what is built on it.
 */
@NullMarked
package dev.disagg.async.sim;

import org.jspecify.annotations.NullMarked;
