// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the tests that Beam publishes against this runner, checks the rules that hold across modules, and makes the capability matrix.
 *
 * <p>The way of one run: {@link dev.disagg.conformance.Suite} lists the tests, {@link dev.disagg.conformance.SuiteRun} deals them out to lanes, each
 * {@link dev.disagg.conformance.Lane} feeds one child JVM at a time ({@link dev.disagg.conformance.TestServer}), which runs one test after the other and is
 * ended and replaced when a test hangs or kills it. Outcomes are written as they arrive and judged at the end by {@link dev.disagg.conformance.Verdict};
 * {@link dev.disagg.conformance.Recorded} keeps them, and {@link dev.disagg.conformance.CapabilityMatrix} makes a page of them.
 *
 * <p>Nothing here knows how a runner works: it is named by a pipeline option and seen through Beam's interfaces only, but for
 * {@link dev.disagg.conformance.EvictedState}, which puts Beam's tests of state over this runner's cells.
 */
@NullMarked
package dev.disagg.conformance;

import org.jspecify.annotations.NullMarked;
