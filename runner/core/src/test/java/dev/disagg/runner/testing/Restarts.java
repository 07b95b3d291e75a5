// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import dev.disagg.runner.DisaggPipelineResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/**
 * A job that is stopped and started again, its state in this process's memory. Each start describes the same pipeline;
 * checkpoints are taken when the test says so.
 */
public final class Restarts implements AutoCloseable {
    private static final AtomicLong NAMES = new AtomicLong();
    private static final long LIMIT_SECONDS = 60;

    private final String uri = "memory://restarts-" + NAMES.incrementAndGet();
    private final Consumer<Pipeline> description;
    private boolean started;
    private DisaggPipelineResult running;

    /** @param description adds the job's transforms to an empty pipeline */
    public Restarts(Consumer<Pipeline> description) {
        this.description = description;
    }

    /** Starts the job: afresh the first time, then from its newest checkpoint. */
    public DisaggPipelineResult start(String... options) {
        List<String> all =
                new ArrayList<>(List.of("--runner=DisaggRunner", "--stateUri=" + uri, "--jobName=job", "--keepState"));
        if (Arrays.stream(options).noneMatch(option -> option.startsWith("--checkpointInterval="))) {
            all.add("--checkpointInterval=1h");
        }
        if (started) {
            all.add("--restore=latest");
        }
        all.addAll(List.of(options));
        Pipeline pipeline = Pipeline.create(
                PipelineOptionsFactory.fromArgs(all.toArray(String[]::new)).create());
        description.accept(pipeline);
        running = (DisaggPipelineResult) pipeline.run();
        started = true;
        return running;
    }

    /** Takes a checkpoint and waits for its commit. */
    public void checkpoint() throws Exception {
        running.checkpoint().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Stops without another checkpoint: what is not in the last one is lost. */
    public void kill() {
        try {
            running.cancel();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the end of the job. */
    public DisaggPipelineResult finish() {
        if (running.waitUntilFinish(org.joda.time.Duration.standardSeconds(LIMIT_SECONDS)) == null) {
            throw new AssertionError("the job did not end in " + LIMIT_SECONDS + " s");
        }
        return running;
    }

    /** Stops the job if it still runs. */
    @Override
    public void close() {
        if (running != null && !running.getState().isTerminal()) {
            kill();
        }
    }
}
