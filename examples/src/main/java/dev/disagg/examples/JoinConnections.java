// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Joins each arrival at an airport with the later departures of that airport. The key is the airport.
 *
 * <p>Arrivals wait in a bag, departures in a map by hour. The arrivals of an hour, or of several, are joined by an event
 * timer once the watermark has passed them and the join window after them: then every departure that could matter is in the map,
 * whatever the order in which it came. The timer holds the output watermark at the earliest waiting arrival, so each result
 * has the time of its arrival. A second timer drops, once a day, the hours that no waiting or future arrival can need.
 */
final class JoinConnections extends DoFn<KV<String, Movement>, ConnectedFlight> {
    private static final long serialVersionUID = 1;
    static final int HOUR_MINUTES = 60;
    private static final int DAY_MINUTES = 24 * 60;

    private final int windowMinutes;
    private final int minimumMinutes;
    private final int everyMinutes;
    private final int onwardFlights;
    private final Counter arrivals = Metrics.counter(JoinConnections.class, "arrivals");
    private final Counter connections = Metrics.counter(JoinConnections.class, "connections");
    private final Counter missedConnections = Metrics.counter(JoinConnections.class, "missedConnections");

    @StateId("waiting")
    private final StateSpec<BagState<Flight>> waitingSpec = StateSpecs.bag(Flight.FlightCoder.INSTANCE);

    @StateId("boards")
    private final StateSpec<MapState<Long, DepartureBoard>> boardsSpec =
            StateSpecs.map(VarLongCoder.of(), DepartureBoard.DepartureBoardCoder.INSTANCE);

    @StateId("earliest")
    private final StateSpec<ValueState<Long>> earliestSpec = StateSpecs.value(VarLongCoder.of());

    @StateId("expiry")
    private final StateSpec<ValueState<Long>> expirySpec = StateSpecs.value(VarLongCoder.of());

    @TimerId("join")
    private final TimerSpec joinSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    @TimerId("expire")
    private final TimerSpec expireSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    JoinConnections(FlightDelaysSettings settings) {
        this.windowMinutes = settings.joinWindowMinutes();
        this.minimumMinutes = settings.minimumConnectionMinutes();
        this.everyMinutes = settings.joinEveryHours() * HOUR_MINUTES;
        this.onwardFlights = settings.onwardFlights();
    }

    @ProcessElement
    public void process(
            @Element KV<String, Movement> element,
            @StateId("waiting") BagState<Flight> waiting,
            @StateId("boards") MapState<Long, DepartureBoard> boards,
            @StateId("earliest") ValueState<Long> earliest,
            @StateId("expiry") ValueState<Long> expiry,
            @TimerId("join") Timer join,
            @TimerId("expire") Timer expire) {
        Flight flight = element.getValue().flight();
        if (element.getValue().arrival()) {
            waiting.add(flight);
            Long before = earliest.read();
            if (before == null || flight.arrivalMinute() < before) {
                arm(flight.arrivalMinute(), earliest, join);
            }
            return;
        }
        int departureMinute = flight.departureMinute();
        long hour = Math.floorDiv(departureMinute, HOUR_MINUTES);
        DepartureBoard board = boards.get(hour).read();
        boards.put(
                hour,
                (board == null ? DepartureBoard.EMPTY : board)
                        .with(Math.floorMod(departureMinute, HOUR_MINUTES), flight.destination()));
        long due = nextDay(hour * HOUR_MINUTES + keepMinutes());
        Long before = expiry.read();
        if (before == null || due < before) {
            expiry.write(due);
            expire.set(instant(due));
        }
    }

    @OnTimer("join")
    public void onJoin(
            @StateId("waiting") BagState<Flight> waiting,
            @StateId("boards") MapState<Long, DepartureBoard> boards,
            @StateId("earliest") ValueState<Long> earliest,
            @TimerId("join") Timer join,
            OutputReceiver<ConnectedFlight> output) {
        long end = joinEnd(earliest.read());
        List<Flight> due = new ArrayList<>();
        List<Flight> later = new ArrayList<>();
        for (Flight flight : waiting.read()) {
            (flight.arrivalMinute() < end ? due : later).add(flight);
        }
        due.sort(Flight.ARRIVAL_ORDER);

        Departures departures = departuresAround(end, boards);
        for (Flight flight : due) {
            ConnectedFlight connected = departures.connect(flight, windowMinutes, minimumMinutes, onwardFlights);
            arrivals.inc();
            connections.inc(connected.connections());
            missedConnections.inc(connected.missed());
            output.outputWithTimestamp(connected, flight.arrival());
        }

        waiting.clear();
        later.forEach(waiting::add);
        earliest.clear();
        later.stream().mapToInt(Flight::arrivalMinute).min().ifPresent(minute -> arm(minute, earliest, join));
    }

    @OnTimer("expire")
    public void onExpire(
            @StateId("boards") MapState<Long, DepartureBoard> boards,
            @StateId("expiry") ValueState<Long> expiry,
            @TimerId("expire") Timer expire) {
        Long now = expiry.read();
        if (now == null) {
            throw new IllegalStateException("the boards of an airport expire, but no expiry was set");
        }
        List<Long> hours = new ArrayList<>();
        boards.keys().read().forEach(hours::add);
        expiry.clear();
        long next = Long.MAX_VALUE;
        for (long hour : hours) {
            long unneeded = hour * HOUR_MINUTES + keepMinutes();
            if (unneeded <= now) {
                boards.remove(hour);
            } else {
                next = Math.min(next, nextDay(unneeded));
            }
        }
        if (next < Long.MAX_VALUE) {
            expiry.write(next);
            expire.set(instant(next));
        }
    }

    /** The arrivals collected with that of {@code earliestMinute} are joined when nothing more can come for them. */
    private void arm(int earliestMinute, ValueState<Long> earliest, Timer join) {
        earliest.write((long) earliestMinute);
        join.withOutputTimestamp(instant(earliestMinute)).set(instant(joinEnd((long) earliestMinute) + windowMinutes));
    }

    /** The departures that an arrival collected until {@code end} may need, earliest first. */
    private Departures departuresAround(long end, MapState<Long, DepartureBoard> boards) {
        long first = Math.floorDiv(end - everyMinutes - windowMinutes, HOUR_MINUTES);
        long last = Math.floorDiv(end + windowMinutes, HOUR_MINUTES);
        List<ReadableState<DepartureBoard>> reads = new ArrayList<>();
        for (long hour = first; hour <= last; hour++) {
            reads.add(boards.get(hour).readLater());
        }
        Departures departures = new Departures();
        for (int i = 0; i < reads.size(); i++) {
            @Nullable DepartureBoard board = reads.get(i).read();
            if (board != null) {
                departures.add((int) (first + i) * HOUR_MINUTES, board);
            }
        }
        return departures;
    }

    private long joinEnd(@Nullable Long earliestMinute) {
        if (earliestMinute == null) {
            throw new IllegalStateException("the arrivals of an airport are to be joined, but none is waiting");
        }
        return (Math.floorDiv(earliestMinute, (long) everyMinutes) + 1) * everyMinutes;
    }

    /**
     * How long a board is kept after the start of its hour. At time t all arrivals before t - window - every are joined;
     * the others look back by one window; so a board that ended before t - 2 windows - every is not needed.
     */
    private long keepMinutes() {
        return HOUR_MINUTES + everyMinutes + 2L * windowMinutes;
    }

    private static long nextDay(long minute) {
        return (Math.floorDiv(minute - 1, DAY_MINUTES) + 1) * DAY_MINUTES;
    }

    private static Instant instant(long minute) {
        return Instant.ofEpochMilli(minute * Flight.MINUTE_MILLIS);
    }
}
