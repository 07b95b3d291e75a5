// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.joda.time.Duration;

/**
 * Delays of three million real flights, as a stream in event time.
 *
 * <pre>
 * flights -> arrivals and departures by airport -> each arrival joined with the later departures there
 *         -> by route and hour of departure: the flights of the last days, a report every few days  -> history-DAY.csv
 *         -> by route: a sum for each day                                                           -> routes-DAY.csv
 *         -> by airport: a sum for each day                                                         -> airports-DAY.csv
 * </pre>
 *
 * Runs with any runner: {@code FlightDelays --runner=DirectRunner --maxRecords=50000}. The options are those of {@link
 * FlightDelaysOptions} and of the runner. The results are a function of the records alone, whatever the order in which they
 * are processed.
 */
public final class FlightDelays {
    static final String ROUTES = "routes";
    static final String AIRPORTS = "airports";
    private static final Duration DAY = Duration.standardDays(1);

    private FlightDelays() {}

    /** Runs the pipeline with the options in {@code args}; exits with 2 when they cannot be used, with 1 when it fails. */
    public static void main(String[] args) throws IOException {
        PipelineOptionsFactory.register(FlightDelaysOptions.class);
        FlightDelaysOptions options;
        FlightDelaysSettings settings;
        try {
            options = PipelineOptionsFactory.fromArgs(args).withValidation().as(FlightDelaysOptions.class);
            settings = FlightDelaysSettings.of(options);
        } catch (IllegalArgumentException e) {
            System.err.println("FlightDelays: " + e.getMessage());
            System.exit(2);
            return;
        }
        Path output = Path.of(settings.output());
        boolean restores = Arrays.stream(args).anyMatch(argument -> argument.startsWith("--restore"));
        if (!restores) {
            ResultFiles.clear(output);
        }
        System.out.println("Results go to " + output);

        Pipeline pipeline = Pipeline.create(options);
        build(pipeline, settings);
        PipelineResult.State state = pipeline.run().waitUntilFinish();
        if (state != PipelineResult.State.DONE) {
            System.err.println("FlightDelays ended as " + state);
            System.exit(1);
        }
        DelayTable.print(output, System.out);
    }

    /** Adds the whole example to {@code pipeline}; gives the paths of the files written. */
    static PCollection<String> build(Pipeline pipeline, FlightDelaysSettings settings) {
        FlightSource source = new FlightSource(
                settings.input(), settings.maxRecords(), settings.recordsPerSecond(), settings.sourceSplits());
        Read.Unbounded<Flight> read = Read.from(source);
        PCollection<ConnectedFlight> connected = pipeline.apply(
                        "ReadFlights", settings.bounded() ? read.withMaxNumRecords(source.records()) : read)
                .apply("ByAirport", ParDo.of(new ByAirport()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), Movement.MovementCoder.INSTANCE))
                .apply("JoinConnections", ParDo.of(new JoinConnections(settings)))
                .setCoder(ConnectedFlight.ConnectedFlightCoder.INSTANCE);

        KvCoder<String, String> lineCoder = KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of());
        PCollection<KV<String, String>> history = connected
                .apply("ByRouteAndHour", ParDo.of(new ByRouteAndHour(settings.hoursPerHistory())))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), ConnectedFlight.ConnectedFlightCoder.INSTANCE))
                .apply("RouteHistory", ParDo.of(new RouteHistory(settings)))
                .setCoder(lineCoder)
                .apply("HistoryDays", Window.into(FixedWindows.of(DAY)));

        PCollection<ConnectedFlight> days = connected.apply("Days", Window.into(FixedWindows.of(DAY)));
        PCollection<KV<String, String>> routes = sums(days, "Route", new ByRoute(), ROUTES);
        PCollection<KV<String, String>> airports = sums(days, "Airport", new ByDestination(), AIRPORTS);

        return PCollectionList.of(history)
                .and(routes)
                .and(airports)
                .apply("AllLines", Flatten.pCollections())
                .setCoder(lineCoder)
                .apply("ByFile", GroupByKey.create())
                .apply("WriteFiles", ParDo.of(new ResultFiles.Write(settings.output())));
    }

    private static PCollection<KV<String, String>> sums(
            PCollection<ConnectedFlight> days,
            String name,
            DoFn<ConnectedFlight, KV<String, DelayStats>> by,
            String kind) {
        return days.apply(name + "Stats", ParDo.of(by))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), DelayStats.DelayStatsCoder.INSTANCE))
                .apply("Sum" + name, Combine.perKey(new DelayStats.Add()))
                .apply(name + "Lines", ParDo.of(new ToLine(kind)))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()));
    }

    /** Gives each flight to its two airports, at the time of its departure and of its arrival. */
    private static final class ByAirport extends DoFn<Flight, KV<String, Movement>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element Flight flight, OutputReceiver<KV<String, Movement>> output) {
            output.output(KV.of(flight.origin(), new Movement(false, flight)));
            output.outputWithTimestamp(KV.of(flight.destination(), new Movement(true, flight)), flight.arrival());
        }
    }

    private static final class ByRouteAndHour extends DoFn<ConnectedFlight, KV<String, ConnectedFlight>> {
        private static final long serialVersionUID = 1;

        private final int hoursPerHistory;

        ByRouteAndHour(int hoursPerHistory) {
            this.hoursPerHistory = hoursPerHistory;
        }

        @ProcessElement
        public void process(@Element ConnectedFlight connected, OutputReceiver<KV<String, ConnectedFlight>> output) {
            Flight flight = connected.flight();
            int hourOfDay = Math.floorMod(flight.departureMinute() / JoinConnections.HOUR_MINUTES, 24);
            int hour = hourOfDay - hourOfDay % hoursPerHistory;
            String key = flight.origin() + "-" + flight.destination() + (hour < 10 ? "-0" : "-") + hour;
            output.output(KV.of(key, connected));
        }
    }

    private static final class ByRoute extends DoFn<ConnectedFlight, KV<String, DelayStats>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element ConnectedFlight connected, OutputReceiver<KV<String, DelayStats>> output) {
            Flight flight = connected.flight();
            output.output(KV.of(flight.origin() + "," + flight.destination(), DelayStats.of(connected)));
        }
    }

    private static final class ByDestination extends DoFn<ConnectedFlight, KV<String, DelayStats>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element ConnectedFlight connected, OutputReceiver<KV<String, DelayStats>> output) {
            output.output(KV.of(connected.flight().destination(), DelayStats.of(connected)));
        }
    }

    /** A day's sum as a line for the file of that day. */
    private static final class ToLine extends DoFn<KV<String, DelayStats>, KV<String, String>> {
        private static final long serialVersionUID = 1;

        private final String kind;

        ToLine(String kind) {
            this.kind = kind;
        }

        @ProcessElement
        public void process(
                @Element KV<String, DelayStats> sum, BoundedWindow window, OutputReceiver<KV<String, String>> output) {
            output.output(KV.of(
                    ResultFiles.name(kind, ((IntervalWindow) window).start()),
                    sum.getKey() + "," + sum.getValue().csv()));
        }
    }
}
