// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feed;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FinalizerAttackTest {
    private static final Map<String, Map<String, AtomicInteger>> CALLED = new ConcurrentHashMap<>();
    static final Map<String, DisaggPipelineResult> JOBS = new ConcurrentHashMap<>();

    static AtomicInteger called(String job, String element) {
        return CALLED.computeIfAbsent(job, name -> new ConcurrentHashMap<>())
                .computeIfAbsent(element, name -> new AtomicInteger());
    }

    static final class Finalizing extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final String job;
        private final boolean throwsError;

        Finalizing(String job, boolean throwsError) {
            this.job = job;
            this.throwsError = throwsError;
        }

        @ProcessElement
        public void process(@Element String element, BundleFinalizer finalizer, OutputReceiver<String> out) {
            finalizer.afterBundleCommit(Instant.now().plus(Duration.standardMinutes(5)), () -> {
                called(job, element).incrementAndGet();
                if (throwsError) {
                    throw new AssertionError("a finalizer with an assertion that does not hold");
                }
            });
            out.output(element);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "1h", "20ms"})
    void onceEach(String interval) throws Exception {
        String job = Run.name("final");
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> pipeline.apply(Create.of("a", "b", "c")).apply(ParDo.of(new Finalizing(job, false))),
                "--checkpointInterval=" + interval);
        Run.done(running);
        for (String each : List.of("a", "b", "c")) {
            assertThat(each, called(job, each).get(), is(1));
        }
    }

    @Test
    void withoutAnIntervalAnEndlessJobCallsThemToo() throws Exception {
        String job = Run.name("final");
        Feed feed = new Feed();
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> pipeline.apply(feed.read()).apply(ParDo.of(new Finalizing(job, false))),
                "--checkpointInterval=off");
        for (int n = 0; n < 5; n++) {
            feed.give("e" + n, 1);
            for (int i = 0; i < 1000 && called(job, "e" + n).get() == 0; i++) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat("e" + n, called(job, "e" + n).get(), is(1));
        }
        running.cancel();
    }

    @Test
    void aFinalizerThatThrowsAnErrorDoesNotHangTheJob() throws Exception {
        String job = Run.name("final");
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> pipeline.apply(Create.of("a", "b")).apply(ParDo.of(new Finalizing(job, true))),
                "--checkpointInterval=off");
        try {
            Run.done(running);
        } catch (AssertionError e) {
            if (String.valueOf(e.getMessage()).startsWith("after")) {
                throw e;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "20ms"})
    void checkpointsGoOnAfterAFinalizerThatThrowsAnError(String interval) throws Exception {
        String job = Run.name("final");
        Feed feed = new Feed();
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> pipeline.apply(feed.read()).apply(ParDo.of(new Finalizing(job, true))),
                "--checkpointInterval=" + interval);
        try {
            for (int n = 0; n < 3; n++) {
                feed.give("e" + n, 1);
                for (int i = 0; i < 1000 && called(job, "e" + n).get() == 0; i++) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                assertThat("e" + n, called(job, "e" + n).get(), is(1));
            }
        } finally {
            running.cancel();
        }
    }
}
