// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** User code that stops its task: by a lock that it holds across a read, or by never coming back. It is named, it never hangs. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Lesson39LockAcrossReadTest {
    /** All instances share the lock. */
    private static final class LocksAcrossRead extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;
        private static final Object LOCK = new Object();

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @ProcessElement
        public void process(@Element KV<String, Integer> element, @StateId("map") MapState<Integer, Integer> map) {
            synchronized (LOCK) {
                Integer before = map.get(1).read();
                map.put(1, before == null ? 1 : before + 1);
            }
        }
    }

    private static Pipeline pipeline(DoFn<KV<String, Integer>, Integer> fn, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--runner=TestDisaggRunner", "--parallelism=1", "--slowCallTime=1s"));
        arguments.addAll(List.of(more));
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(arguments.toArray(String[]::new))
                .create());
        List<KV<String, Integer>> elements = new ArrayList<>();
        // Of so many reads that are put off at least one parks its body; the first that does stops the task.
        for (int i = 0; i < 5000; i++) {
            elements.add(KV.of("k" + i, i));
        }
        pipeline.apply("Elements", Create.of(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                .apply("Locking", ParDo.of(fn));
        return pipeline;
    }

    @Test
    void aLockHeldAcrossAReadFailsTheJobWithBothStacksAndTheRemedy() {
        Pipeline pipeline = pipeline(new LocksAcrossRead(), "--delayedReads=9");
        RuntimeException failed = assertThrows(RuntimeException.class, pipeline::run);
        String text = failed.getMessage();
        assertThat(
                text,
                allOf(
                        containsString("Locking"),
                        containsString("a lock shared between instances may be held across a state read"),
                        containsString("--synchronousTransforms=Locking"),
                        containsString("\n  leader "),
                        containsString("\n  parked "),
                        containsString("LocksAcrossRead.process")));
    }

    @Test
    void theRemedyHelps() {
        PipelineResult result = pipeline(new LocksAcrossRead(), "--delayedReads=9", "--synchronousTransforms=Locking")
                .run();
        assertThat(result.waitUntilFinish(), is(PipelineResult.State.DONE));
    }

    /** Waits for what never comes, or goes round in circles, at one key. */
    private static final class NeverReturns extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;
        private static volatile CountDownLatch never = new CountDownLatch(1);

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        private final boolean spins;

        NeverReturns(boolean spins) {
            this.spins = spins;
        }

        @ProcessElement
        public void process(@Element KV<String, Integer> element, @StateId("map") MapState<Integer, Integer> map)
                throws InterruptedException {
            map.get(1).read();
            if (element.getKey().equals("k17")) {
                if (spins) {
                    while (never.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                } else {
                    never.await();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallThatNeverReturnsFailsTheJobAndIsNamed(boolean spins) {
        NeverReturns.never = new CountDownLatch(0);
        // So that loading classes is not taken for such a call.
        pipeline(new NeverReturns(spins)).run().waitUntilFinish();
        NeverReturns.never = new CountDownLatch(1);
        try {
            Pipeline pipeline = pipeline(new NeverReturns(spins), "--maxCallTime=6s");
            RuntimeException failed = assertThrows(RuntimeException.class, pipeline::run);
            assertThat(
                    failed.getMessage(),
                    allOf(
                            containsString("Locking"),
                            containsString("has not returned from user code"),
                            containsString("NeverReturns.process"),
                            containsString("--maxCallTime")));
        } finally {
            // The thread that goes round in circles was left behind; it ends now.
            NeverReturns.never.countDown();
        }
    }
}
