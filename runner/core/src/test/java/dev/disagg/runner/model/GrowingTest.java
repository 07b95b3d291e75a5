// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Contextful;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PeriodicImpulse;
import org.apache.beam.sdk.transforms.PeriodicSequence;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.Watch;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs that grow while they are watched, and inputs that tick. */
class GrowingTest {
    private static final Map<String, AtomicInteger> POLLS = new ConcurrentHashMap<>();

    /** Each poll sees one output more, up to five. */
    static final class OneMore extends Watch.Growth.PollFn<String, String> {
        private static final long serialVersionUID = 1L;

        private final String test;

        OneMore(String test) {
            this.test = test;
        }

        @Override
        public Watch.Growth.PollResult<String> apply(String element, Contextful.Fn.Context c) {
            int poll = POLLS.get(test + element).incrementAndGet();
            List<TimestampedValue<String>> outputs = new ArrayList<>();
            for (int i = 1; i <= Math.min(poll, 5); i++) {
                outputs.add(TimestampedValue.of(element + i, new Instant(i)));
            }
            return poll >= 5
                    ? Watch.Growth.PollResult.complete(outputs)
                    : Watch.Growth.PollResult.incomplete(outputs).withWatermark(new Instant(poll));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void watchGivesEachOutputOnce(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        POLLS.put(mode + "a", new AtomicInteger());
        POLLS.put(mode + "b", new AtomicInteger());
        PAssert.that(pipeline.apply(Create.of("a", "b"))
                        .apply(Watch.growthOf(new OneMore(mode.name())).withPollInterval(Duration.millis(5)))
                        .apply(Values.create()))
                .containsInAnyOrder("a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "b5");
        Mode.run(pipeline);
        assertThat(POLLS.get(mode + "a").get(), is(5));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void periodicImpulseTicksUpToItsEnd(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        Instant start = new Instant(1_000_000);
        PCollection<KV<String, Long>> perWindow = pipeline.apply(PeriodicImpulse.create()
                        .startAt(start)
                        .stopAt(start.plus(Duration.millis(95)))
                        .withInterval(Duration.millis(10)))
                .apply(Window.into(FixedWindows.of(Duration.millis(50))))
                .apply(MapElements.into(TypeDescriptors.strings()).via(instant -> "tick"))
                .apply(Count.perElement());
        PAssert.that(perWindow).containsInAnyOrder(KV.of("tick", 5L), KV.of("tick", 5L));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void periodicSequencesTickEachForItself(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        Instant start = new Instant(1_000_000);
        PAssert.that(pipeline.apply(Create.of(
                                new PeriodicSequence.SequenceDefinition(
                                        start, start.plus(Duration.millis(30)), Duration.millis(10)),
                                new PeriodicSequence.SequenceDefinition(
                                        start, start.plus(Duration.millis(30)), Duration.millis(15))))
                        .apply(PeriodicSequence.create())
                        .apply(MapElements.into(TypeDescriptors.longs())
                                .via(instant -> instant.getMillis() - start.getMillis())))
                .containsInAnyOrder(0L, 10L, 20L, 30L, 0L, 15L, 30L);
        Mode.run(pipeline);
    }
}
