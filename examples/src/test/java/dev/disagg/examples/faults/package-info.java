// SPDX-License-Identifier: Apache-2.0
/**
 * Whole runs of FlightDelays under faults: processes killed at chosen points, two at a time, stopped, restored with other
 * options. What they write is compared with what plain loops compute.
 */
@NullMarked
package dev.disagg.examples.faults;

import org.jspecify.annotations.NullMarked;
