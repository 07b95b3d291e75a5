// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.MapState;
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

/**
 * Keeps the joined flights of the last days for each route and hour of departure, and reports on them at regular times. The
 * key is the route and hour, such as {@code ATL-BOS-17}; the output is a file's name and a line for it.
 *
 * <p>This is where the state of the pipeline is: some 41,000 keys, whose flights are read only by a report, because
 * percentiles need them all. Each key reports on days of its own, so that the work is spread over the days. A report is
 * made by an event timer over the flights that arrived before its time, so the order in which they came does not matter. A
 * key without a report for longer than that is dropped by a second timer.
 */
final class RouteHistory extends DoFn<KV<String, ConnectedFlight>, KV<String, String>> {
    private static final long serialVersionUID = 1;
    private static final int DAY_MINUTES = 24 * 60;
    static final String KIND = "history";
    static final String COLUMNS = "origin,destination,hour,flights,medianDelayMinutes,ninetiethPercentileDelayMinutes,"
            + "medianChangeMinutes,meanConnections,topOnward,topOnwardFlights";

    private final int historyMinutes;
    private final int reportDays;

    @StateId("flights")
    private final StateSpec<BagState<ConnectedFlight>> flightsSpec =
            StateSpecs.bag(ConnectedFlight.ConnectedFlightCoder.INSTANCE);

    /** Median delay by time of report. */
    @StateId("medians")
    private final StateSpec<MapState<Long, Integer>> mediansSpec = StateSpecs.map(VarLongCoder.of(), VarIntCoder.of());

    @StateId("reportAt")
    private final StateSpec<ValueState<Long>> reportAtSpec = StateSpecs.value(VarLongCoder.of());

    @TimerId("report")
    private final TimerSpec reportSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    @TimerId("expire")
    private final TimerSpec expireSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    RouteHistory(FlightDelaysSettings settings) {
        this.historyMinutes = settings.historyDays() * DAY_MINUTES;
        this.reportDays = settings.reportDays();
    }

    @ProcessElement
    public void process(
            @Element KV<String, ConnectedFlight> element,
            @StateId("flights") BagState<ConnectedFlight> flights,
            @StateId("reportAt") ValueState<Long> reportAt,
            @TimerId("report") Timer report) {
        flights.add(element.getValue());
        arm(nextReport(element.getKey(), element.getValue()), reportAt, report);
    }

    @OnTimer("report")
    public void onReport(
            @Key String key,
            @StateId("flights") BagState<ConnectedFlight> flights,
            @StateId("medians") MapState<Long, Integer> medians,
            @StateId("reportAt") ValueState<Long> reportAt,
            @TimerId("report") Timer report,
            @TimerId("expire") Timer expire,
            OutputReceiver<KV<String, String>> output) {
        Long now = reportAt.read();
        if (now == null) {
            throw new IllegalStateException("a report on " + key + " is due, but none was ordered");
        }
        reportAt.clear();
        List<ConnectedFlight> kept = new ArrayList<>();
        List<ConnectedFlight> reported = new ArrayList<>();
        boolean anyDropped = false;
        for (ConnectedFlight connected : flights.read()) {
            int arrival = connected.flight().arrivalMinute();
            if (arrival < now - historyMinutes) {
                anyDropped = true;
                continue;
            }
            kept.add(connected);
            if (arrival < now) {
                reported.add(connected);
            } else {
                arm(nextReport(key, connected), reportAt, report);
            }
        }
        if (anyDropped) {
            flights.clear();
            kept.forEach(flights::add);
        }
        if (!reported.isEmpty()) {
            int median = HistoryReport.percentile(reported, 50);
            Integer before = medians.get(now - (long) reportDays * DAY_MINUTES).read();
            medians.put(now, median);
            medians.remove(now - historyMinutes - (long) reportDays * DAY_MINUTES);
            output.output(KV.of(
                    ResultFiles.name(KIND, instant(now)),
                    HistoryReport.line(key, reported, median, before == null ? 0 : median - before)));
        }
        // Later than any report that needs what is kept now, also the median: so it never matters whether a flight
        // after
        // the expiry comes before the expiry or behind it.
        expire.set(instant(now + historyMinutes + (long) reportDays * DAY_MINUTES));
    }

    @OnTimer("expire")
    public void onExpire(
            @StateId("flights") BagState<ConnectedFlight> flights,
            @StateId("medians") MapState<Long, Integer> medians,
            @StateId("reportAt") ValueState<Long> reportAt) {
        if (reportAt.read() == null) {
            flights.clear();
            medians.clear();
        }
    }

    private static void arm(long minute, ValueState<Long> reportAt, Timer report) {
        Long before = reportAt.read();
        if (before == null || minute < before) {
            reportAt.write(minute);
            report.set(instant(minute));
        }
    }

    /** The first report on {@code key} after the arrival of {@code connected}, in minutes. */
    private long nextReport(String key, ConnectedFlight connected) {
        return HistoryReport.nextMinute(key, connected.flight().arrivalMinute(), reportDays);
    }

    private static Instant instant(long minute) {
        return Instant.ofEpochMilli(minute * Flight.MINUTE_MILLIS);
    }
}
