// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.closeTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DrawTest {
    private static final int KEYS = 1000;
    private static final int DRAWS = 200_000;

    private static int[] counts(double exponent) {
        Draw draw = new Draw(KEYS, exponent);
        int[] counts = new int[KEYS];
        for (int i = 0; i < DRAWS; i++) {
            int key = draw.next();
            assertThat(key, greaterThanOrEqualTo(0));
            assertThat(key, lessThan(KEYS));
            counts[key]++;
        }
        Arrays.sort(counts);
        return counts;
    }

    @Test
    void uniformDrawsReachEachKeyAboutAsOften() {
        int[] counts = counts(0);

        assertThat(counts[0], greaterThanOrEqualTo(DRAWS / KEYS / 2));
        assertThat(counts[KEYS - 1], lessThan(DRAWS / KEYS * 2));
    }

    @Test
    void zipfDrawsGiveTheFirstRanksTheirShare() {
        double zeta = 0;
        for (int rank = 1; rank <= KEYS; rank++) {
            zeta += Math.pow(rank, -0.99);
        }
        int[] counts = counts(0.99);

        assertThat((double) counts[KEYS - 1] / DRAWS, closeTo(1 / zeta, 0.01));
        assertThat((double) counts[KEYS - 2] / DRAWS, closeTo(Math.pow(2, -0.99) / zeta, 0.01));
    }

    @Test
    void twoOfTheSameKindDrawTheSame() {
        Draw one = new Draw(KEYS, 0.99);
        Draw other = new Draw(KEYS, 0.99);

        for (int i = 0; i < KEYS; i++) {
            assertThat(one.next(), is(other.next()));
            assertThat(one.happens(0.05), is(other.happens(0.05)));
        }
    }
}
