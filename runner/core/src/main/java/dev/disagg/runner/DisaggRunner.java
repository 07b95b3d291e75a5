// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.runner.engine.EngineTime;
import dev.disagg.runner.engine.JobSpec;
import dev.disagg.runner.graph.Explain;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.SystemThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.metrics.MetricsOptions;
import org.apache.beam.sdk.options.PipelineOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs Beam pipelines with state on an object store: {@code --runner=DisaggRunner}. {@link #run} returns when the pipeline
 * has begun to run; wait for its end with {@link PipelineResult#waitUntilFinish()}.
 *
 * <p>Options: {@link DisaggPipelineOptions}. What can not run is refused by {@link Invalid} before anything starts.
 */
public final class DisaggRunner extends PipelineRunner<DisaggPipelineResult> {
    private static final Logger LOG = LoggerFactory.getLogger(DisaggRunner.class);
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);
    /** What a final checkpoint may take: those who end processes commonly wait for 30 seconds before they kill. */
    private static final Duration FINAL_CHECKPOINT = Duration.ofSeconds(20);

    private final PipelineOptions options;

    private DisaggRunner(PipelineOptions options) {
        this.options = options;
    }

    /** How Beam makes a runner. */
    public static DisaggRunner fromOptions(PipelineOptions options) {
        return new DisaggRunner(options);
    }

    @Override
    public DisaggPipelineResult run(Pipeline pipeline) {
        Settings settings = Settings.of(options.as(DisaggPipelineOptions.class));
        MetricsEnvironment.setMetricsSupported(true);
        StageGraph graph = Translation.translate(pipeline, settings.parallelism());
        settings.checkTransforms(graph.stages().stream()
                .flatMap(stage -> stage.transforms().stream())
                .toList());
        if (settings.explain()) {
            System.out.print(Explain.text(graph));
            return DisaggPipelineResult.explained();
        }
        JobSpec spec = spec(settings, graph);
        EmbeddedJob job = EmbeddedJob.start(spec, options, graph, EngineTime.SYSTEM);
        if (spec.checkpointing()) {
            Runnable forget = SystemThreads.whenProcessEnds(
                    "disagg-end-" + spec.jobName(), () -> job.stopWithCheckpoint(FINAL_CHECKPOINT));
            job.outcome().thenRun(forget);
        }
        SystemThreads.keepProcessUntil("disagg-job", job.outcome());
        DisaggPipelineResult result = DisaggPipelineResult.of(job);
        MetricsPush.start(job, options.as(MetricsOptions.class), result);
        if (!settings.progressInterval().isZero()) {
            ProgressLine line = new ProgressLine(job, System.err, EngineTime.SYSTEM);
            job.everyInterval(settings.progressInterval(), line::print);
            job.outcome().thenRun(line::printEnd);
        }
        return result;
    }

    private static JobSpec spec(Settings settings, StageGraph graph) {
        Duration interval = settings.checkpointInterval().orElse(graph.unbounded() ? DEFAULT_INTERVAL : Duration.ZERO);
        return new JobSpec(
                settings.jobName(),
                settings.stateUri().orElseGet(DisaggRunner::freshDirectory),
                settings.stateBackend(),
                settings.stateMemoryBytes(),
                Path.of(settings.localDirectory().orElse(System.getProperty("java.io.tmpdir"))),
                settings.asyncState(),
                settings::isSynchronous,
                settings.maxInFlightComputations(),
                settings.maxParkedComputations(),
                settings.slowCallTime(),
                settings.maxCallTime(),
                settings.maxBundleElements(),
                settings.maxBundleTime(),
                interval,
                settings.checkpointTimeout(),
                settings.retainedCheckpoints(),
                settings.restore(),
                !settings.keepState(),
                settings.copyElements(),
                settings.smallPaneBytes(),
                settings.stateLatency(),
                settings.progressInterval(),
                settings.delayedReads());
    }

    private static String freshDirectory() {
        try {
            Path directory = Files.createTempDirectory("disagg-state-");
            LOG.info("state is kept in {}", directory);
            return directory.toUri().toString();
        } catch (IOException e) {
            throw new Failed(
                    "no directory for state could be made under " + System.getProperty("java.io.tmpdir") + ": "
                            + e.getMessage() + "; say where it should be with --stateUri",
                    e);
        }
    }
}
