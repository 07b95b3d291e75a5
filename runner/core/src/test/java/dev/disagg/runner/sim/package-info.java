// SPDX-License-Identifier: Apache-2.0
/**
 * Equivalence as a property: random keyed programs, as plain Beam DoFns in whole tasks under random latencies, bounds and
 * restores, against a sequential model per key. One seed gives one run.
 */
@NullMarked
package dev.disagg.runner.sim;

import org.jspecify.annotations.NullMarked;
