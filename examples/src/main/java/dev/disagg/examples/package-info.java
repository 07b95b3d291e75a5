// SPDX-License-Identifier: Apache-2.0
/**
 * Beam pipelines on real data that run with any runner: {@link dev.disagg.examples.WordCount} and {@link
 * dev.disagg.examples.FlightDelays}.
 *
 * <p>Nothing here knows a runner: options of the runner are given by name on the command line.
 */
@NullMarked
package dev.disagg.examples;

import org.jspecify.annotations.NullMarked;
