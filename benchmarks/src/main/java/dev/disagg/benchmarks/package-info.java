// SPDX-License-Identifier: Apache-2.0
/**
 * Measurements, each a ratio of two things measured in one run on one machine. Nothing here is part of the runner, and
 * nothing here is a test: a figure that falls short is printed as short, it breaks no build.
 */
@NullMarked
package dev.disagg.benchmarks;

import org.jspecify.annotations.NullMarked;
