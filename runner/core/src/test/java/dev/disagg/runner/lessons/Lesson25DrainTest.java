// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Restarts;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lesson 25: a stream in the global window is drained. */
class Lesson25DrainTest {
    /** Counts in the global window, tells at its end, and has a timer of processing time that sets itself again. */
    static final class CountToTheEnd extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<CombiningState<Integer, int[], Integer>> spec = StateSpecs.combining(Sum.ofIntegers());

        @TimerId("loop")
        private final TimerSpec loop = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, String> element,
                @StateId("count") CombiningState<Integer, int[], Integer> count,
                @TimerId("loop") Timer timer,
                OutputReceiver<String> out) {
            count.add(1);
            timer.offset(Duration.standardHours(1)).setRelative();
            out.output("seen");
        }

        @OnTimer("loop")
        public void again(@TimerId("loop") Timer timer) {
            timer.offset(Duration.standardHours(1)).setRelative();
        }

        @OnWindowExpiration
        public void end(
                @Key String key,
                @StateId("count") CombiningState<Integer, int[], Integer> count,
                OutputReceiver<String> out) {
            out.output(key + " ends with " + count.read());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--asyncState=on", "--delayedReads=4"})
    void eachKeyExpiresOnceAndALoopingTimerEnds(String option) throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> drain.from(pipeline.apply("Read", feed.read())
                .apply("Keys", WithKeys.of(element -> element.substring(0, 1)))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply("Count", ParDo.of(new CountToTheEnd()))))) {
            job.start("--parallelism=2", option);
            feed.give("a1", 1).give("b1", 2).give("a2", 3);
            for (int i = 0; i < 3; i++) {
                assertThat(drain.next(), is("seen"));
            }
            job.checkpoint();
            job.kill();
            job.start("--parallelism=3", option).drain();
            assertThat(job.finish().getState(), is(PipelineResult.State.DONE));
            List<String> ends = new ArrayList<>(drain.rest());
            ends.sort(null);
            assertThat(ends, is(List.of("a ends with 2", "b ends with 1")));
        }
    }
}
