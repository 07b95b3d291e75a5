// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@link RouteHistory} says about the flights of one route and hour: pure functions of the set of flights. */
final class HistoryReport {
    private HistoryReport() {}

    /**
     * The first report time after {@code minute}: midnight every {@code reportDays} days, from a day that the key's hash
     * chooses.
     */
    static long nextMinute(String key, long minute, int reportDays) {
        long period = reportDays * 24L * 60;
        long offset = Math.floorMod(key.hashCode(), reportDays) * 24L * 60;
        return (Math.floorDiv(minute - offset, period) + 1) * period + offset;
    }

    /** The delay in minutes that {@code percent} of the flights do not exceed (nearest rank). */
    static int percentile(List<ConnectedFlight> flights, int percent) {
        int[] delays = flights.stream()
                .mapToInt(connected -> connected.flight().delayMinutes())
                .sorted()
                .toArray();
        int rank = (delays.length * percent + 99) / 100;
        return delays[Math.max(rank, 1) - 1];
    }

    /** One line in the columns of {@link RouteHistory#COLUMNS}; {@code key} is such as {@code ATL-BOS-17}. */
    static String line(String key, List<ConnectedFlight> flights, int median, int medianChange) {
        long connections = 0;
        Map<String, Integer> onward = new TreeMap<>();
        for (ConnectedFlight connected : flights) {
            connections += connected.connections();
            for (ConnectedFlight.Onward departure : connected.onward()) {
                onward.merge(departure.destination(), 1, Integer::sum);
            }
        }
        String top = "";
        int topFlights = 0;
        for (Map.Entry<String, Integer> entry : onward.entrySet()) {
            if (entry.getValue() > topFlights) {
                top = entry.getKey();
                topFlights = entry.getValue();
            }
        }
        return key.replace('-', ',') + "," + flights.size() + "," + median + "," + percentile(flights, 90) + ","
                + medianChange + "," + DelayStats.mean(connections, flights.size()) + "," + top + "," + topFlights;
    }
}
