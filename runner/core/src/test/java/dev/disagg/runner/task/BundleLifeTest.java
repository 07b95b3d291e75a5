// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.badinput.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Set-up, bundles and tear-down of DoFn instances, also while computations hand over to each other. */
class BundleLifeTest {
    private static Pipeline pipeline(String... more) {
        String[] all = Arrays.copyOf(more, more.length + 1);
        all[more.length] = "--runner=TestDisaggRunner";
        return Pipeline.create(PipelineOptionsFactory.fromArgs(all).create());
    }

    /** Counts what is called on all of its instances, and refuses calls that come out of order on one. */
    static final class Counted extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger SETUPS = new AtomicInteger();
        static final AtomicInteger STARTED = new AtomicInteger();
        static final AtomicInteger FINISHED = new AtomicInteger();
        static final AtomicInteger TEARDOWNS = new AtomicInteger();

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        private transient boolean setUp;
        private transient boolean inBundle;
        private transient boolean inBody;
        private transient Thread itsThread;

        private static void require(boolean condition, String what) {
            if (!condition) {
                throw new IllegalStateException(what);
            }
        }

        /** So that what user code keeps by thread holds. */
        private void requireItsThread() {
            require(Thread.currentThread() == itsThread, "called on another thread than it was set up on");
        }

        @Setup
        public void setup() {
            require(!setUp, "set up twice");
            setUp = true;
            itsThread = Thread.currentThread();
            SETUPS.incrementAndGet();
        }

        @StartBundle
        public void start() {
            require(setUp && !inBundle, "a bundle is started in another, or before the set-up");
            requireItsThread();
            inBundle = true;
            STARTED.incrementAndGet();
        }

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("map") MapState<Integer, Integer> map,
                OutputReceiver<Integer> out) {
            require(inBundle && !inBody, "an element comes outside of a bundle, or into another's body");
            requireItsThread();
            inBody = true;
            Integer before = map.get(1).read();
            map.put(1, before == null ? 1 : before + 1);
            require(inBundle, "the bundle was finished while a body waited");
            inBody = false;
            out.output(1);
        }

        @FinishBundle
        public void finish() {
            require(inBundle && !inBody, "a bundle is finished that is not open, or in a body");
            requireItsThread();
            inBundle = false;
            FINISHED.incrementAndGet();
        }

        @Teardown
        public void teardown() {
            require(setUp && !inBundle, "torn down in a bundle");
            requireItsThread();
            setUp = false;
            TEARDOWNS.incrementAndGet();
        }
    }

    @Tag("lesson-29")
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    void everyBundleIsFinishedAndEveryInstanceTornDown(int bundleElements) {
        List.of(Counted.SETUPS, Counted.STARTED, Counted.FINISHED, Counted.TEARDOWNS)
                .forEach(count -> count.set(0));
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            elements.add(KV.of("k" + i % 60, i));
        }
        Pipeline pipeline = pipeline("--parallelism=2", "--delayedReads=3", "--maxBundleElements=" + bundleElements);
        PAssert.that(pipeline.apply(Create.of(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                        .apply(ParDo.of(new Counted()))
                        .apply(Count.globally()))
                .containsInAnyOrder(300L);
        pipeline.run().waitUntilFinish();
        assertThat("bodies were parked, so there is more than one chain", Counted.SETUPS.get(), greaterThan(2));
        assertThat(Counted.TEARDOWNS.get(), is(Counted.SETUPS.get()));
        assertThat(Counted.STARTED.get(), greaterThan(0));
        assertThat(Counted.FINISHED.get(), is(Counted.STARTED.get()));
    }

    /** Keeps what comes until the bundle ends. */
    static final class OutputAtBundleEnd extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1L;
        private transient List<KV<Long, Instant>> kept;

        @StartBundle
        public void start() {
            kept = new ArrayList<>();
        }

        @ProcessElement
        public void process(@Element Long element, @Timestamp Instant timestamp) {
            kept.add(KV.of(element, timestamp));
        }

        @FinishBundle
        public void finish(FinishBundleContext c) {
            kept.forEach(one -> c.output(one.getKey(), one.getValue(), GlobalWindow.INSTANCE));
        }
    }

    private static final AtomicLong COUNTED = new AtomicLong();

    /** Adds up what is counted. */
    static final class AddUp extends DoFn<Long, Void> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element Long count) {
            COUNTED.addAndGet(count);
        }
    }

    /** Many elements without a pause, so that the watermark wants to pass those that an open bundle keeps. */
    @Tag("lesson-26")
    @ParameterizedTest
    @CsvSource({"7, 2000", "1000000, 200000"})
    void whatIsOutputOnlyAtTheEndOfABundleIsNotLateDownstream(int bundleElements, long elements) {
        Pipeline pipeline = pipeline("--parallelism=2", "--maxBundleElements=" + bundleElements);
        COUNTED.set(0);
        pipeline.apply("Numbers", Read.from(new Numbers("bundles", elements)))
                .apply("Keep", ParDo.of(new OutputAtBundleEnd()))
                .apply(
                        "Windows",
                        Window.<Long>into(FixedWindows.of(Duration.millis(50)))
                                .withAllowedLateness(Duration.ZERO)
                                .discardingFiredPanes())
                .apply("Key", WithKeys.of("k"))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("PerWindow", Count.perKey())
                .apply("Counts", Values.create())
                .apply("Total", ParDo.of(new AddUp()));
        pipeline.run().waitUntilFinish();
        assertThat(COUNTED.get(), is(elements));
    }
}
