// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.first;

import java.util.concurrent.atomic.LongAdder;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;

/** The measured pipelines. Both check their result, so that a figure is never that of a run that lost something. */
enum Job {
    /** The sum of the values of each key. */
    KEYED_SUM {
        @Override
        PCollection<KV<Integer, Long>> apply(PCollection<KV<Integer, Long>> events) {
            return events.apply("Sum", Sum.longsPerKey());
        }

        @Override
        long expected(long events) {
            return events * (events - 1) / 2;
        }
    },

    /** For each event, how many its key has had, kept in a {@link ValueState}. */
    PER_KEY_COUNT {
        @Override
        PCollection<KV<Integer, Long>> apply(PCollection<KV<Integer, Long>> events) {
            return events.apply("Count", ParDo.of(new Count()));
        }

        @Override
        long expected(long events) {
            long keys = events / EVENTS_PER_KEY;
            return keys * (EVENTS_PER_KEY * (EVENTS_PER_KEY + 1) / 2);
        }
    };

    /** The same for any number of events, so that what a runner does once per key weighs the same. */
    static final long EVENTS_PER_KEY = 100;

    private static final LongAdder TOTAL = new LongAdder();

    /** The result, from events by key. */
    abstract PCollection<KV<Integer, Long>> apply(PCollection<KV<Integer, Long>> events);

    /** The sum of the values of the result. */
    abstract long expected(long events);

    /**
     * Runs the pipeline to its end.
     *
     * @param events a multiple of {@link #EVENTS_PER_KEY}
     * @throws IllegalStateException when the result is wrong
     */
    void run(PipelineOptions options, long events) {
        TOTAL.reset();
        Pipeline pipeline = Pipeline.create(options);
        PCollection<KV<Integer, Long>> read =
                pipeline.apply("Read", Read.from(new Events(0, events, Math.toIntExact(events / EVENTS_PER_KEY))));
        apply(read).apply("Add", ParDo.of(new Add()));
        pipeline.run().waitUntilFinish();
        if (TOTAL.sum() != expected(events)) {
            throw new IllegalStateException(
                    this + " of " + events + " events is " + TOTAL.sum() + " and should be " + expected(events));
        }
    }

    private static final class Count extends DoFn<KV<Integer, Long>, KV<Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Long>> count = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<Integer, Long> event,
                @StateId("count") ValueState<Long> counted,
                OutputReceiver<KV<Integer, Long>> output) {
            Long before = counted.read();
            long now = before == null ? 1 : before + 1;
            counted.write(now);
            output.output(KV.of(event.getKey(), now));
        }
    }

    private static final class Add extends DoFn<KV<Integer, Long>, Void> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element KV<Integer, Long> result) {
            TOTAL.add(result.getValue());
        }
    }
}
