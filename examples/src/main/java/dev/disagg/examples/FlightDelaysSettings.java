// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.Serializable;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The checked form of {@link FlightDelaysOptions}.
 *
 * @param output absolute path of the directory for the results
 */
record FlightDelaysSettings(
        @Nullable String input,
        String output,
        long maxRecords,
        long recordsPerSecond,
        int sourceSplits,
        int joinWindowMinutes,
        int minimumConnectionMinutes,
        int joinEveryHours,
        int hoursPerHistory,
        boolean bounded,
        int onwardFlights,
        int historyDays,
        int reportDays)
        implements Serializable {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,6})([mh])");

    /** Throws {@link IllegalArgumentException} that names the first option whose value cannot be used, and what can. */
    static FlightDelaysSettings of(FlightDelaysOptions options) {
        int joinWindowMinutes = minutes("joinWindow", options.getJoinWindow());
        within("joinWindow in minutes", joinWindowMinutes, 1, 48 * 60);
        int minimumConnectionMinutes = minutes("minimumConnection", options.getMinimumConnection());
        within("minimumConnection in minutes", minimumConnectionMinutes, 0, joinWindowMinutes - 1);
        int joinEveryMinutes = minutes("joinEvery", options.getJoinEvery());
        if (joinEveryMinutes < 60 || joinEveryMinutes > 24 * 60 || joinEveryMinutes % 60 != 0) {
            throw new IllegalArgumentException(
                    "--joinEvery is " + options.getJoinEvery() + ": give whole hours from 1h to 24h");
        }
        within("hoursPerHistory", options.getHoursPerHistory(), 1, 24);
        if (24 % options.getHoursPerHistory() != 0) {
            throw new IllegalArgumentException("--hoursPerHistory is " + options.getHoursPerHistory()
                    + ": give a number that divides 24, such as 1, 6 or 24");
        }
        within("maxRecords", options.getMaxRecords(), 0, Integer.MAX_VALUE);
        within("recordsPerSecond", options.getRecordsPerSecond(), 0, 1_000_000_000);
        within("sourceSplits", options.getSourceSplits(), 0, 1024);
        within("onwardFlights", options.getOnwardFlights(), 0, 100);
        within("historyDays", options.getHistoryDays(), 1, 3650);
        within("reportDays", options.getReportDays(), 1, 365);
        FlightFile.open(options.getInput());
        return new FlightDelaysSettings(
                options.getInput(),
                directory(options.getOutput(), "disagg-flight-delays").toString(),
                options.getMaxRecords(),
                options.getRecordsPerSecond(),
                options.getSourceSplits(),
                joinWindowMinutes,
                minimumConnectionMinutes,
                joinEveryMinutes / 60,
                options.getHoursPerHistory(),
                options.isBounded(),
                options.getOnwardFlights(),
                options.getHistoryDays(),
                options.getReportDays());
    }

    /** The absolute path that {@code --output} names, or {@code name} under java.io.tmpdir. */
    static Path directory(@Nullable String output, String name) {
        try {
            return (output == null ? Path.of(System.getProperty("java.io.tmpdir"), name) : Path.of(output))
                    .toAbsolutePath()
                    .normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("--output=" + output + " is not a path of a directory", e);
        }
    }

    private static int minutes(String option, String value) {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "--" + option + "=" + value + " is not a duration: give minutes or hours, such as 90m or 6h");
        }
        return Integer.parseInt(matcher.group(1)) * (matcher.group(2).equals("h") ? 60 : 1);
    }

    private static void within(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "--" + option + " is " + value + ": give a value from " + least + " to " + most);
        }
    }
}
