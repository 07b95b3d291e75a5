// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Prints the routes with the longest mean delay, from the result files of {@link FlightDelays}. */
final class DelayTable {
    private static final int ROWS = 10;

    private DelayTable() {}

    static void print(Path directory, PrintStream out) throws IOException {
        Map<String, long[]> sums = new TreeMap<>();
        long flights = 0;
        for (String line : ResultFiles.lines(directory, FlightDelays.ROUTES)) {
            String[] fields = line.split(",");
            long[] sum = sums.computeIfAbsent(fields[0] + "," + fields[1], route -> new long[3]);
            sum[0] += Long.parseLong(fields[2]);
            sum[1] += Long.parseLong(fields[3]);
            sum[2] += Long.parseLong(fields[7]);
            flights += Long.parseLong(fields[2]);
        }
        // Routes with few flights would fill the table with accidents.
        long least = Math.max(1, flights / 20_000);
        List<Map.Entry<String, long[]>> top = sums.entrySet().stream()
                .filter(entry -> entry.getValue()[0] >= least)
                .sorted(Comparator.comparingDouble(entry -> -(double) entry.getValue()[1] / entry.getValue()[0]))
                .limit(ROWS)
                .toList();
        Map<String, String> cities = cities();
        out.printf(
                Locale.ROOT,
                "%,d flights on %,d routes; longest mean delay (routes with at least %,d flights):%n",
                flights,
                sums.size(),
                least);
        out.printf(Locale.ROOT, "%10s %8s %8s  %s%n", "delay, min", "flights", "missed", "route");
        for (Map.Entry<String, long[]> entry : top) {
            String[] ends = entry.getKey().split(",");
            long[] sum = entry.getValue();
            out.printf(
                    Locale.ROOT,
                    "%10s %8d %8d  %s-%s  %s to %s%n",
                    DelayStats.mean(sum[1], sum[0]),
                    sum[0],
                    sum[2],
                    ends[0],
                    ends[1],
                    cities.getOrDefault(ends[0], "?"),
                    cities.getOrDefault(ends[1], "?"));
        }
        out.println("Results are in " + directory);
    }

    private static Map<String, String> cities() throws IOException {
        Map<String, String> cities = new TreeMap<>();
        try (InputStream in = DelayTable.class.getResourceAsStream("airports.csv")) {
            if (in == null) {
                throw new IllegalStateException("the resource airports.csv is not in the examples' jar");
            }
            BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            reader.lines().skip(1).forEach(line -> {
                // The name may be quoted and hold commas; code first and, from the end, city fifth.
                String[] fields = line.split(",");
                cities.put(fields[0], fields[fields.length - 5]);
            });
        }
        return cities;
    }
}
