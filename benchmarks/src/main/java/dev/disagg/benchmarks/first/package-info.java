// SPDX-License-Identifier: Apache-2.0
/**
 * Two small pipelines on this runner and on Beam's DirectRunner: processor time per event. Each run is a Java process of its own, so
 * that neither runner profits from what the other has made the compiler do.
 */
@NullMarked
package dev.disagg.benchmarks.first;

import org.jspecify.annotations.NullMarked;
