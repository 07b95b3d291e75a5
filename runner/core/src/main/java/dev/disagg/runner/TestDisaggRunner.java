// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/**
 * For {@code TestPipeline}: runs a pipeline to its end, with state in this process's memory unless {@code --stateUri} says
 * otherwise. Each run is a job of its own.
 *
 * <p>With the system property {@value #COUNTERS}, appends to the file that it names one line per pipeline: {@code
 * {"reads":N,"delayedReads":N,"handOvers":N}}.
 */
public final class TestDisaggRunner extends PipelineRunner<DisaggPipelineResult> {
    private static final String COUNTERS = "disagg.test.counters";
    private static final AtomicLong RUNS = new AtomicLong();

    private final PipelineOptions options;

    private TestDisaggRunner(PipelineOptions options) {
        this.options = options;
    }

    /** How Beam makes a runner. */
    public static TestDisaggRunner fromOptions(PipelineOptions options) {
        return new TestDisaggRunner(options);
    }

    @Override
    public DisaggPipelineResult run(Pipeline pipeline) {
        DisaggPipelineOptions own = options.as(DisaggPipelineOptions.class);
        String givenUri = own.getStateUri();
        if (givenUri == null) {
            own.setStateUri("memory://test-" + RUNS.incrementAndGet());
        }
        try {
            DisaggPipelineResult result = DisaggRunner.fromOptions(options).run(pipeline);
            try {
                result.waitUntilFinish();
            } finally {
                record(result.delayCounts());
            }
            return result;
        } finally {
            own.setStateUri(givenUri);
        }
    }

    private static void record(EmbeddedJob.@Nullable DelayCounts counts) {
        String file = System.getProperty(COUNTERS);
        if (file == null || counts == null) {
            return;
        }
        String line = "{\"reads\":" + counts.reads() + ",\"delayedReads\":" + counts.delayedReads() + ",\"handOvers\":"
                + counts.handOvers() + "}\n";
        try {
            Files.writeString(Path.of(file), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new Failed(
                    "the counters of a test run can not be written to " + file + " (system property " + COUNTERS + "): "
                            + e.getMessage(),
                    e);
        }
    }
}
