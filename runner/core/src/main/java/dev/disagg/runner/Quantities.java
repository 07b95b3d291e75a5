// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.ufs.Invalid;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as users write them, and as they are shown to users. */
final class Quantities {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,15})([A-Za-z]*)");
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
    private static final Map<String, Long> BYTES = Map.of(
            "",
            1L,
            "B",
            1L,
            "kB",
            1_000L,
            "KB",
            1_000L,
            "MB",
            1_000_000L,
            "GB",
            1_000_000_000L,
            "KiB",
            1L << 10,
            "MiB",
            1L << 20,
            "GiB",
            1L << 30);

    /** Far below the 292 years that fit into nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Quantities() {}

    /** {@code 500ms, 10s, 5m, 1h, 1d}, or {@code 0}. */
    static Duration duration(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Duration duration = Duration.ofMillis(parse(text, MILLIS, "a duration such as 500ms, 10s or 5m"));
        if (duration.compareTo(LONGEST) > 0) {
            throw new Invalid("longer than " + LONGEST.toDays() + "d");
        }
        return duration;
    }

    /** {@code 512, 64MB, 10GiB}. */
    static long bytes(String text) {
        return parse(text, BYTES, "a size such as 64MB or 10GiB");
    }

    private static long parse(String text, Map<String, Long> units, String wanted) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text);
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new Invalid("not " + wanted);
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException e) {
            throw new Invalid("too large for " + wanted, e);
        }
    }

    /** Three significant digits with a decimal unit. */
    static String show(long bytes) {
        if (bytes < 1000) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 999.5 && unit < 4) {
            value /= 1000;
            unit++;
        }
        return String.format(
                Locale.ROOT,
                value < 9.995 ? "%.2f %cB" : value < 99.95 ? "%.1f %cB" : "%.0f %cB",
                value,
                "kMGTP".charAt(unit));
    }
}
