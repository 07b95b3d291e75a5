// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderRegistry;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.util.VarInt;

/**
 * What some flights add up to. Whole numbers only, so that the order of adding never shows.
 *
 * @param late flights at least {@link #LATE_MINUTES} late
 */
record DelayStats(long flights, long delayMinutes, long late, long connections, long missed) {
    static final int LATE_MINUTES = 15;
    static final DelayStats NONE = new DelayStats(0, 0, 0, 0, 0);
    static final String COLUMNS = "flights,delayMinutes,meanDelayMinutes,late,connections,missed";

    static DelayStats of(ConnectedFlight connected) {
        int delayMinutes = connected.flight().delayMinutes();
        return new DelayStats(
                1, delayMinutes, delayMinutes >= LATE_MINUTES ? 1 : 0, connected.connections(), connected.missed());
    }

    DelayStats plus(DelayStats other) {
        return new DelayStats(
                flights + other.flights,
                delayMinutes + other.delayMinutes,
                late + other.late,
                connections + other.connections,
                missed + other.missed);
    }

    /** {@link #COLUMNS}, the mean with two decimals. */
    String csv() {
        return flights + "," + delayMinutes + "," + mean(delayMinutes, flights) + "," + late + "," + connections + ","
                + missed;
    }

    /** {@code sum / count} with two decimals, half up; {@code count} is positive. */
    static String mean(long sum, long count) {
        return BigDecimal.valueOf(sum)
                .divide(BigDecimal.valueOf(count), 2, RoundingMode.HALF_UP)
                .toPlainString();
    }

    static final class Add extends Combine.CombineFn<DelayStats, DelayStats, DelayStats> {
        private static final long serialVersionUID = 1;

        @Override
        public DelayStats createAccumulator() {
            return NONE;
        }

        @Override
        public DelayStats addInput(DelayStats sum, DelayStats input) {
            return sum.plus(input);
        }

        @Override
        public DelayStats mergeAccumulators(Iterable<DelayStats> sums) {
            DelayStats merged = NONE;
            for (DelayStats sum : sums) {
                merged = merged.plus(sum);
            }
            return merged;
        }

        @Override
        public DelayStats extractOutput(DelayStats sum) {
            return sum;
        }

        @Override
        public Coder<DelayStats> getAccumulatorCoder(CoderRegistry registry, Coder<DelayStats> inputCoder) {
            return DelayStatsCoder.INSTANCE;
        }

        @Override
        public Coder<DelayStats> getDefaultOutputCoder(CoderRegistry registry, Coder<DelayStats> inputCoder) {
            return DelayStatsCoder.INSTANCE;
        }
    }

    static final class DelayStatsCoder extends AtomicCoder<DelayStats> {
        static final DelayStatsCoder INSTANCE = new DelayStatsCoder();

        private DelayStatsCoder() {}

        @Override
        public void encode(DelayStats stats, OutputStream out) throws IOException {
            VarInt.encode(stats.flights, out);
            VarInt.encode(stats.delayMinutes << 1 ^ stats.delayMinutes >> 63, out);
            VarInt.encode(stats.late, out);
            VarInt.encode(stats.connections, out);
            VarInt.encode(stats.missed, out);
        }

        @Override
        public DelayStats decode(InputStream in) throws IOException {
            long flights = VarInt.decodeLong(in);
            long zigzagDelay = VarInt.decodeLong(in);
            return new DelayStats(
                    flights,
                    zigzagDelay >>> 1 ^ -(zigzagDelay & 1),
                    VarInt.decodeLong(in),
                    VarInt.decodeLong(in),
                    VarInt.decodeLong(in));
        }

        @Override
        public boolean consistentWithEquals() {
            return true;
        }

        private Object readResolve() {
            return INSTANCE;
        }
    }
}
