// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feeds;
import dev.disagg.runner.testing.Restarts;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Impulse;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.Test;

/** Lesson 28: parallelism 3, 1 and 3 again across restores. */
class Lesson28RescaleTest {
    private static final int KEYS = 20;
    private static final AtomicInteger IMPULSES = new AtomicInteger();

    static final class CountPerKey extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Integer>> spec = StateSpecs.value(VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("count") ValueState<Integer> state,
                OutputReceiver<String> out) {
            Integer before = state.read();
            int now = (before == null ? 0 : before) + element.getValue();
            state.write(now);
            out.output(element.getKey() + "=" + now);
        }
    }

    static final class WithOne extends DoFn<String, KV<String, Integer>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element String key, OutputReceiver<KV<String, Integer>> out) {
            out.output(KV.of(key, 1));
        }
    }

    static final class CountImpulses extends DoFn<byte[], KV<String, Integer>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(OutputReceiver<KV<String, Integer>> out) {
            IMPULSES.incrementAndGet();
            out.output(KV.of("impulse", 1));
        }
    }

    private final Feeds feeds = new Feeds(5);
    private final Drain counted = new Drain();
    private final Drain impulses = new Drain();

    private int given;

    /** Gives {@code perKey} elements of each key, spread over the splits. */
    private void give(int perKey) {
        for (int i = 0; i < perKey; i++) {
            for (int key = 0; key < KEYS; key++) {
                feeds.feed(given % 5).give("key-" + key, given);
                given++;
            }
        }
    }

    /** Takes {@code perKey} counts of each key, and returns the last of each. */
    private Map<String, Integer> take(int perKey) throws InterruptedException {
        Map<String, Integer> last = new TreeMap<>();
        for (int i = 0; i < perKey * KEYS; i++) {
            String[] next = counted.next().split("=");
            last.merge(next[0], Integer.parseInt(next[1]), Math::max);
        }
        return last;
    }

    private static Map<String, Integer> all(int count) {
        Map<String, Integer> all = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            all.put("key-" + key, count);
        }
        return all;
    }

    @Test
    void countsPerKeyAreExactAndNothingIsReadTwiceOrSplitAgain() throws Exception {
        IMPULSES.set(0);
        try (Restarts job = new Restarts(pipeline -> {
            counted.from(pipeline.apply("Read", feeds.read())
                    .apply("WithOne", ParDo.of(new WithOne()))
                    .setCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of()))
                    .apply("Count", ParDo.of(new CountPerKey())));
            impulses.from(pipeline.apply("Impulse", Impulse.create())
                    .apply("CountImpulses", ParDo.of(new CountImpulses()))
                    .setCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of()))
                    .apply("CountThem", ParDo.of(new CountPerKey())));
        })) {
            job.start("--parallelism=3");
            give(3);
            assertThat(take(3), is(all(3)));
            assertThat(impulses.next(), is("impulse=1"));
            job.checkpoint();
            // Read and counted, but not in the checkpoint: read again after the restart.
            give(2);
            assertThat(take(2), is(all(5)));
            job.kill();

            job.start("--parallelism=1");
            assertThat(take(2), is(all(5)));
            give(4);
            assertThat(take(4), is(all(9)));
            job.checkpoint();
            job.kill();

            give(1);
            job.start("--parallelism=3");
            assertThat(take(1), is(all(10)));
            give(1);
            feeds.close();
            job.finish();
            assertThat(take(1), is(all(11)));
        }
        assertThat("counts that nobody expected", counted.rest().isEmpty(), is(true));
        assertThat("impulses", IMPULSES.get(), is(1));
        assertThat("of an impulse that came again", impulses.rest().isEmpty(), is(true));
        assertThat("times the source was split", feeds.timesSplit(), is(1));
    }
}
