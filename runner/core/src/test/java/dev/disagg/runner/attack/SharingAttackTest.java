// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import java.io.IOException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.CountingSource;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.splittabledofn.ManualWatermarkEstimator;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.splittabledofn.WatermarkEstimators;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharingAttackTest {
    private static final long N = 300_000;

    /** One split; its reader misbehaves in a way. */
    static final class Odd extends BoundedSource<Long> {
        private static final long serialVersionUID = 1;
        private final BoundedSource<Long> all;
        private final String how;

        Odd(BoundedSource<Long> all, String how) {
            this.all = all;
            this.how = how;
        }

        @Override
        public List<? extends BoundedSource<Long>> split(long desiredBytes, PipelineOptions options) {
            return how.equals("nothing") ? List.of() : List.of(this);
        }

        @Override
        public long getEstimatedSizeBytes(PipelineOptions options) throws Exception {
            return all.getEstimatedSizeBytes(options);
        }

        @Override
        public BoundedReader<Long> createReader(PipelineOptions options) throws IOException {
            BoundedReader<Long> reader = all.createReader(options);
            return new BoundedReader<>() {
                private BoundedSource<Long> current = Odd.this;

                @Override
                public boolean start() throws IOException {
                    return reader.start();
                }

                @Override
                public boolean advance() throws IOException {
                    return reader.advance();
                }

                @Override
                public Long getCurrent() throws NoSuchElementException {
                    return reader.getCurrent();
                }

                @Override
                public Instant getCurrentTimestamp() {
                    return new Instant(getCurrent());
                }

                @Override
                public Double getFractionConsumed() {
                    return how.equals("nofraction")
                            ? null
                            : how.equals("nan") ? Double.NaN : reader.getFractionConsumed();
                }

                @Override
                public BoundedSource<Long> splitAtFraction(double fraction) {
                    if (how.equals("null") || how.equals("nan")) {
                        return null;
                    }
                    if (how.equals("throws")) {
                        throw new UnsupportedOperationException("this source is not split");
                    }
                    if (how.equals("slow")) {
                        try {
                            TimeUnit.MILLISECONDS.sleep(50);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                    BoundedSource<Long> rest = reader.splitAtFraction(fraction);
                    if (rest == null) {
                        return null;
                    }
                    current = new Odd(reader.getCurrentSource(), how);
                    return new Odd(rest, how);
                }

                @Override
                public void close() throws IOException {
                    reader.close();
                }

                @Override
                public BoundedSource<Long> getCurrentSource() {
                    return current;
                }
            };
        }

        @Override
        public Coder<Long> getOutputCoder() {
            return VarLongCoder.of();
        }
    }

    static final class Tally extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1;
        private final Counter n = Metrics.counter("attack", "n");
        private final Counter sum = Metrics.counter("attack", "sum");
        private final Distribution all = Metrics.distribution("attack", "all");

        @ProcessElement
        public void process(@Element Long x, OutputReceiver<Long> out) {
            n.inc();
            sum.inc(x);
            all.update(x);
            out.output(x);
        }
    }

    static final class Windowed extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element Long x, @Timestamp Instant t, OutputReceiver<Long> out) {
            out.output(x);
        }
    }

    static final class Panes extends DoFn<KV<Long, Long>, Void> {
        private static final long serialVersionUID = 1;
        private final Counter counted = Metrics.counter("attack", "counted");
        private final Counter panes = Metrics.counter("attack", "panes");

        @ProcessElement
        public void process(@Element KV<Long, Long> count) {
            counted.inc(count.getValue());
            panes.inc();
        }
    }

    /** Timestamps grow with the number; the watermark follows. */
    @DoFn.BoundedPerElement
    static final class Range extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1;
        private final boolean strict;
        private final int resumeEvery;

        Range(boolean strict, int resumeEvery) {
            this.strict = strict;
            this.resumeEvery = resumeEvery;
        }

        @GetInitialRestriction
        public OffsetRange all(@Element Long element) {
            return new OffsetRange(element * N, (element + 1) * N);
        }

        @GetInitialWatermarkEstimatorState
        public Instant initial(@Restriction OffsetRange range) {
            // By the restriction: what is left of it begins there.
            return strict ? new Instant(range.getFrom()) : new Instant(0);
        }

        @NewWatermarkEstimator
        public WatermarkEstimators.Manual estimator(@WatermarkEstimatorState Instant state) {
            return new WatermarkEstimators.Manual(state);
        }

        @ProcessElement
        public ProcessContinuation process(
                RestrictionTracker<OffsetRange, Long> tracker,
                ManualWatermarkEstimator<Instant> estimator,
                OutputReceiver<Long> out) {
            int done = 0;
            for (long i = tracker.currentRestriction().getFrom(); tracker.tryClaim(i); i++) {
                estimator.setWatermark(new Instant(i));
                out.outputWithTimestamp(i, new Instant(i));
                if (resumeEvery > 0 && ++done >= resumeEvery) {
                    return ProcessContinuation.resume();
                }
            }
            return ProcessContinuation.stop();
        }
    }

    static void downstream(PCollection<Long> numbers) {
        numbers.apply("Tally", ParDo.of(new Tally()))
                .apply("W", Window.into(FixedWindows.of(Duration.millis(10_000))))
                .apply(
                        "Mod",
                        org.apache.beam.sdk.transforms.MapElements.into(
                                        org.apache.beam.sdk.values.TypeDescriptors.longs())
                                .via(x -> x % 3))
                .apply("Count", Count.perElement())
                .apply("Panes", ParDo.of(new Panes()));
    }

    private void attack(String name, Consumer<Pipeline> description, long n, String... options) throws Exception {
        for (int seed = 0; seed < 1 + Integer.getInteger("seeds", 1); seed++) {
            boolean restarts = seed > 0;
            String job = Run.name("share-" + name.replaceAll("[^a-z]", ""));
            Random random = new Random(seed);
            if (restarts) {
                for (int i = 0; i < 6; i++) {
                    DisaggPipelineResult running = Run.start(
                            job,
                            description,
                            with(options, "--parallelism=" + (1 + random.nextInt(4)), "--checkpointInterval=15ms"));
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(250));
                    running.cancel();
                }
            }
            DisaggPipelineResult running =
                    Run.start(job, description, with(options, "--parallelism=8", "--checkpointInterval=50ms"));
            Run.done(running);
            String what = name + (restarts ? " with restarts" : "") + " ";
            assertThat(what + "dropped", Run.counter(running, "droppedDueToLateness", false), is(0L));
            assertThat(what + "n", Run.counter(running, "n", true), is(n));
            assertThat(what + "sum", Run.counter(running, "sum", true), is(n * (n - 1) / 2));
            assertThat(what + "counted", Run.counter(running, "counted", true), is(n));
            assertThat(what + "panes", Run.counter(running, "panes", true), is(3 * (n / 10_000)));
        }
    }

    private static String[] with(String[] options, String... more) {
        java.util.ArrayList<String> all = new java.util.ArrayList<>(List.of(options));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fine", "null", "slow", "nofraction", "nan"})
    void oddSources(String how) throws Exception {
        attack(how, p -> downstream(p.apply(Read.from(new Odd(CountingSource.upTo(N), how)))), N);
    }

    /** Before work was shared, nobody called {@code splitAtFraction}. */
    @Test
    void aSourceThatRefusesToBeSplitByThrowingIsReadAsItIs() throws Exception {
        attack("throws", p -> downstream(p.apply(Read.from(new Odd(CountingSource.upTo(N), "throws")))), N);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "nothing"})
    void emptySources(String how) throws Exception {
        attack(how, p -> downstream(p.apply(Read.from(new Odd(CountingSource.upTo(0), how)))), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "strict heap", "zero", "strict resume", "strict off", "strict one", "zero one"})
    void splittable(String how) throws Exception {
        List<String> options = new java.util.ArrayList<>();
        if (how.contains("heap")) {
            options.add("--stateBackend=heap");
        }
        if (how.contains("off")) {
            options.add("--asyncState=off");
        }
        if (how.contains("one")) {
            options.add("--maxInFlightComputations=1");
        }
        attack(
                how,
                p -> downstream(p.apply(Create.of(0L, 1L))
                        .apply(ParDo.of(new Range(how.contains("strict"), how.contains("resume") ? 5000 : 0)))),
                2 * N,
                options.toArray(String[]::new));
    }
}
