// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import java.util.SplittableRandom;

/**
 * Draws keys 0 to {@code keys - 1}: uniformly, or rank r with a probability proportional to {@code 1 / r^exponent} (the inversion
 * of Gray et al., "Quickly generating billion-record synthetic databases", 1994), ranks spread over the keys. Always the same sequence.
 */
final class Draw {
    private static final long SEED = 4;
    /** A prime above every number of keys, so that ranks are spread one to one. */
    private static final long SPREAD = 2_147_483_647L;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final int keys;
    private final double exponent;
    private final double zeta;
    private final double eta;

    /** @param exponent 0 for uniform; else below 1 */
    Draw(int keys, double exponent) {
        if (keys < 2 || exponent < 0 || exponent >= 1) {
            throw new IllegalArgumentException(keys + " keys (at least 2) by exponent " + exponent + " (0 to below 1)");
        }
        this.keys = keys;
        this.exponent = exponent;
        double sum = 0;
        if (exponent > 0) {
            for (int rank = 1; rank <= keys; rank++) {
                sum += 1 / Math.pow(rank, exponent);
            }
        }
        this.zeta = sum;
        double two = 1 + Math.pow(0.5, exponent);
        this.eta = exponent == 0 ? 0 : (1 - Math.pow(2.0 / keys, 1 - exponent)) / (1 - two / sum);
    }

    int next() {
        if (exponent == 0) {
            return random.nextInt(keys);
        }
        double u = random.nextDouble();
        double scaled = u * zeta;
        long rank;
        if (scaled < 1) {
            rank = 0;
        } else if (scaled < 1 + Math.pow(0.5, exponent)) {
            rank = 1;
        } else {
            rank = (long) (keys * Math.pow(eta * u - eta + 1, 1 / (1 - exponent)));
        }
        return (int) (Math.min(rank, keys - 1) * SPREAD % keys);
    }

    /** Whether something of this probability happens. */
    boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }
}
