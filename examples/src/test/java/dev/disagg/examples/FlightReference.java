// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The results of FlightDelays computed from the whole list of flights in plain loops. Shares no code with the pipeline but the
 * record of a flight's five fields.
 */
final class FlightReference {
    private static final int DAY = 1440;

    private final FlightDelaysSettings settings;
    private final Map<String, NavigableMap<Integer, List<String>>> departures = new HashMap<>();
    private final Map<String, TreeMap<String, long[]>> sums = new TreeMap<>();
    private final Map<String, List<Joined>> histories = new TreeMap<>();

    private record Joined(int arrival, int delay, int connections, List<String> onward) {}

    private FlightReference(FlightDelaysSettings settings) {
        this.settings = settings;
    }

    /** Contents by file name. */
    static Map<String, String> files(List<Flight> flights, FlightDelaysSettings settings) {
        FlightReference reference = new FlightReference(settings);
        for (Flight flight : flights) {
            reference
                    .departures
                    .computeIfAbsent(flight.origin(), origin -> new TreeMap<>())
                    .computeIfAbsent(flight.departureMinute(), minute -> new ArrayList<>())
                    .add(flight.destination());
        }
        reference
                .departures
                .values()
                .forEach(board -> board.values().forEach(destinations -> destinations.sort(Comparator.naturalOrder())));
        flights.forEach(reference::join);
        Map<String, TreeSet<String>> lines = new TreeMap<>();
        reference.dailyLines(lines);
        reference.historyLines(lines);
        Map<String, String> files = new TreeMap<>();
        lines.forEach((name, body) -> files.put(name, header(name) + String.join("\n", body) + "\n"));
        return files;
    }

    private void join(Flight flight) {
        int duration = 30 + flight.distanceMiles() / 8;
        int onTime = flight.departureMinute() + duration;
        int arrival = Math.max(onTime + flight.delayMinutes(), flight.departureMinute() + duration / 2);
        int window = settings.joinWindowMinutes();
        int minimum = settings.minimumConnectionMinutes();
        NavigableMap<Integer, List<String>> board = departures.getOrDefault(flight.destination(), new TreeMap<>());

        List<String> reached = new ArrayList<>();
        board.subMap(arrival + minimum, true, arrival + window, true)
                .values()
                .forEach(destinations -> destinations.stream()
                        .filter(destination -> !destination.equals(flight.origin()))
                        .forEach(reached::add));
        int missed = 0;
        for (int minute = Math.max(onTime, arrival - window) + minimum; minute < arrival + minimum; minute++) {
            for (String destination : board.getOrDefault(minute, List.of())) {
                missed += destination.equals(flight.origin()) ? 0 : 1;
            }
        }

        String day = LocalDate.ofEpochDay(Math.floorDiv(arrival, DAY)).toString();
        long[] values = {1, flight.delayMinutes(), flight.delayMinutes() >= 15 ? 1 : 0, reached.size(), missed};
        add("routes-" + day + ".csv", flight.origin() + "," + flight.destination(), values);
        add("airports-" + day + ".csv", flight.destination(), values);
        int hour = flight.departureMinute() % DAY / 60;
        hour -= hour % settings.hoursPerHistory();
        histories
                .computeIfAbsent(
                        String.format(Locale.ROOT, "%s-%s-%02d", flight.origin(), flight.destination(), hour),
                        key -> new ArrayList<>())
                .add(new Joined(
                        arrival,
                        flight.delayMinutes(),
                        reached.size(),
                        List.copyOf(reached.subList(0, Math.min(reached.size(), settings.onwardFlights())))));
    }

    private void add(String file, String key, long[] values) {
        long[] sum = sums.computeIfAbsent(file, name -> new TreeMap<>()).computeIfAbsent(key, name -> new long[5]);
        for (int i = 0; i < sum.length; i++) {
            sum[i] += values[i];
        }
    }

    private void dailyLines(Map<String, TreeSet<String>> lines) {
        sums.forEach((file, byKey) -> byKey.forEach((key, sum) -> lines.computeIfAbsent(file, name -> new TreeSet<>())
                .add(key + "," + sum[0] + "," + sum[1] + "," + hundredths(sum[1], sum[0]) + "," + sum[2] + "," + sum[3]
                        + "," + sum[4])));
    }

    private void historyLines(Map<String, TreeSet<String>> lines) {
        long period = (long) settings.reportDays() * DAY;
        histories.forEach((key, flights) -> {
            long offset = (long) Math.floorMod(key.hashCode(), settings.reportDays()) * DAY;
            TreeSet<Long> times = new TreeSet<>();
            for (Joined flight : flights) {
                long time = offset;
                time += (flight.arrival - time) / period * period;
                while (time <= flight.arrival) {
                    time += period;
                }
                times.add(time);
            }
            Map<Long, Integer> medians = new HashMap<>();
            for (long time : times) {
                List<Joined> in = flights.stream()
                        .filter(flight ->
                                flight.arrival < time && flight.arrival >= time - (long) settings.historyDays() * DAY)
                        .sorted(Comparator.comparingInt(Joined::delay))
                        .toList();
                if (in.isEmpty()) {
                    continue;
                }
                int median = in.get((in.size() + 1) / 2 - 1).delay;
                int ninetieth = in.get((int) Math.ceil(in.size() * 0.9 - 1e-9) - 1).delay;
                medians.put(time, median);
                int change = medians.containsKey(time - period) ? median - medians.get(time - period) : 0;
                TreeMap<String, Integer> onward = new TreeMap<>();
                in.forEach(flight -> flight.onward.forEach(to -> onward.merge(to, 1, Integer::sum)));
                String top = "";
                for (String to : onward.keySet()) {
                    top = top.isEmpty() || onward.get(to) > onward.get(top) ? to : top;
                }
                lines.computeIfAbsent("history-" + LocalDate.ofEpochDay(time / DAY) + ".csv", name -> new TreeSet<>())
                        .add(key.replace('-', ',') + "," + in.size() + "," + median + "," + ninetieth + "," + change
                                + ","
                                + hundredths(
                                        in.stream()
                                                .mapToInt(Joined::connections)
                                                .sum(),
                                        in.size())
                                + "," + top + "," + onward.getOrDefault(top, 0));
            }
        });
    }

    /** The quotient with two decimals, halves away from zero. */
    private static String hundredths(long sum, long count) {
        long rounded = (Math.abs(sum) * 200 + count) / (2 * count);
        return (sum < 0 && rounded > 0 ? "-" : "") + rounded / 100 + "." + rounded / 10 % 10 + rounded % 10;
    }

    private static String header(String file) {
        String sums = "flights,delayMinutes,meanDelayMinutes,late,connections,missed\n";
        return switch (file.substring(0, file.indexOf('-'))) {
            case "routes" -> "origin,destination," + sums;
            case "airports" -> "airport," + sums;
            default ->
                "origin,destination,hour,flights,medianDelayMinutes,ninetiethPercentileDelayMinutes,"
                        + "medianChangeMinutes,meanConnections,topOnward,topOnwardFlights\n";
        };
    }
}
