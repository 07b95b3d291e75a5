// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * One figure and its goal.
 *
 * @param name lower case, words joined by {@code -}
 * @param value exact; whether the goal is met is told by it, not by what is printed
 * @param unit of value and goal: {@code x} for a ratio, {@code us/event}
 * @param goalIsLeast whether the goal is the least good value; otherwise it is the greatest
 */
public record Measure(String name, double value, String unit, double goal, boolean goalIsLeast) {
    private static final int DECIMALS = 2;

    /** A figure that should be at least {@code goal}. */
    public static Measure atLeast(double goal, String name, double value, String unit) {
        return new Measure(name, value, unit, goal, true);
    }

    /** A figure that should be at most {@code goal}. */
    public static Measure atMost(double goal, String name, double value, String unit) {
        return new Measure(name, value, unit, goal, false);
    }

    /** Whether the goal is met. */
    public boolean isMet() {
        return goalIsLeast ? value >= goal : value <= goal;
    }

    /** The line to print for {@code ./dev bench <benchmark>}; the value is rounded towards missing the goal. */
    public String line(String benchmark) {
        RoundingMode against = goalIsLeast ? RoundingMode.FLOOR : RoundingMode.CEILING;
        String printed = new BigDecimal(Double.toString(value))
                .setScale(DECIMALS, against)
                .toPlainString();
        String printedGoal = (goalIsLeast ? ">=" : "<=")
                + new BigDecimal(Double.toString(goal)).stripTrailingZeros().toPlainString();
        return String.join(" ", "BENCH", benchmark, name, printed, unit, "goal", printedGoal, isMet() ? "ok" : "short");
    }
}
