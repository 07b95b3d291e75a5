// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.DisaggRunner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.ParDo;

/**
 * One run of the counting pipeline in a process of its own: {@code CountRun load|measure [--option=value...]}, with the options
 * of {@link CountOptions}. {@code load} counts each key once, lets the store come to rest, takes a checkpoint and ends. {@code
 * measure} runs for the seconds of warm-up and of measurement, and is cancelled; it prints one line {@code RESULT name=value...}
 * and one {@code THREADS ...}.
 */
public final class CountRun {
    private static final long POLL_MILLIS = 20;
    private static final int QUIET_POLLS = 100;
    private static final int MOST_ROUNDS = 20;
    private static final double P99 = 0.99;

    private final DisaggPipelineResult result;
    private final List<Long> drainNanos = new ArrayList<>();

    private CountRun(DisaggPipelineResult result) {
        this.result = result;
    }

    /** @param args as the class says */
    public static void main(String[] args) throws IOException, InterruptedException {
        boolean load = args[0].equals("load");
        String[] rest = List.of(args).subList(1, args.length).toArray(String[]::new);
        PipelineOptionsFactory.register(CountOptions.class);
        CountOptions options =
                PipelineOptionsFactory.fromArgs(rest).withValidation().as(CountOptions.class);
        options.setRunner(DisaggRunner.class);
        options.setLoadOnly(load);
        Pipeline pipeline = Pipeline.create(options);
        pipeline.apply("Keys", Read.from(new Keys())).apply("Count", ParDo.of(new CountFn()));
        CountRun run = new CountRun((DisaggPipelineResult) pipeline.run());
        if (load) {
            run.awaitElements(options.getKeys());
            run.settle();
        } else {
            run.awaitElements(options.getFresh() ? options.getKeys() + 1 : 1);
            run.warmUp(options.getWarmUpSeconds(), options.getWarmUpElements());
            run.measure(options.getSeconds());
        }
        run.result.cancel();
        System.exit(0);
    }

    private void warmUp(int seconds, long elements) throws InterruptedException {
        watch(seconds);
        for (int more = 0; more < 3 * seconds && Done.elements() < elements; more++) {
            watch(1);
        }
        drainNanos.clear();
    }

    private void measure(int seconds) throws IOException, InterruptedException {
        Moment from = Moment.now(result);
        watch(seconds);
        Moment to = Moment.now(result);
        Collections.sort(drainNanos);
        long p99 = drainNanos.isEmpty() ? 0 : drainNanos.get((int) Math.ceil(drainNanos.size() * P99) - 1);
        System.out.println("RESULT " + to.since(from) + " drains=" + drainNanos.size() + " drainP99Nanos=" + p99);
        result.tasks().forEach(task -> System.out.println("TASK " + task));
        System.out.println("THREADS " + to.threadsSince(from));
    }

    /** Checkpoints until one of them, and the compactions behind it, read nothing any more. */
    private void settle() throws InterruptedException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            long before = result.requests().reads();
            result.checkpoint().join();
            long last = -1;
            for (int quiet = 0; quiet < QUIET_POLLS; quiet++) {
                poll();
                long requests = result.requests().total();
                quiet = requests == last ? quiet : 0;
                last = requests;
            }
            if (result.requests().reads() == before) {
                return;
            }
        }
    }

    private void awaitElements(long elements) throws InterruptedException {
        while (Done.elements() < elements) {
            poll();
        }
    }

    /** Lets time go by, and notes how long each drain took: there is at most one between two looks. */
    private void watch(int seconds) throws InterruptedException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        Moment.Counting before = Moment.Counting.of(result.tasks());
        while (System.nanoTime() - end < 0) {
            poll();
            Moment.Counting now = Moment.Counting.of(result.tasks());
            if (now.drains() > before.drains()) {
                drainNanos.add((now.drainNanos() - before.drainNanos()) / (now.drains() - before.drains()));
            }
            before = now;
        }
    }

    private void poll() throws InterruptedException {
        if (result.getState().isTerminal()) {
            result.waitUntilFinish();
            throw new IllegalStateException("the pipeline ended with " + result.getState());
        }
        Thread.sleep(POLL_MILLIS);
    }
}
