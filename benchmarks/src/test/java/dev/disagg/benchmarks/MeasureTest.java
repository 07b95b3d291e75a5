// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import org.junit.jupiter.api.Test;

final class MeasureTest {
    @Test
    void figureJustBelowItsLeastIsShortAndNotRoundedUpToIt() {
        assertThat(
                Measure.atLeast(20, "ratio", 19.999, "x").line("first"),
                is("BENCH first ratio 19.99 x goal >=20 short"));
    }

    @Test
    void figureJustAboveItsMostIsShortAndNotRoundedDownToIt() {
        assertThat(
                Measure.atMost(4, "cpu", 4.001, "us/event").line("first"),
                is("BENCH first cpu 4.01 us/event goal <=4 short"));
    }

    @Test
    void figureEqualToItsGoalIsOk() {
        assertThat(Measure.atMost(1.2, "cost", 1.2, "x").line("async"), is("BENCH async cost 1.20 x goal <=1.2 ok"));
        assertThat(Measure.atLeast(2, "gain", 2, "x").line("state"), is("BENCH state gain 2.00 x goal >=2 ok"));
    }
}
