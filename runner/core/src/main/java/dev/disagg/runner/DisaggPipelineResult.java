// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.runner.engine.TaskFigures;
import dev.disagg.ufs.RequestCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.apache.beam.sdk.Pipeline.PipelineExecutionException;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.BoundedTrieResult;
import org.apache.beam.sdk.metrics.DistributionResult;
import org.apache.beam.sdk.metrics.GaugeResult;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricResults;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.metrics.StringSetResult;
import org.apache.beam.sdk.util.UserCodeException;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;

/** A running or ended pipeline. Thread-safe. */
public final class DisaggPipelineResult implements PipelineResult {
    private final @Nullable EmbeddedJob job;

    private DisaggPipelineResult(@Nullable EmbeddedJob job) {
        this.job = job;
    }

    static DisaggPipelineResult of(EmbeddedJob job) {
        return new DisaggPipelineResult(job);
    }

    /** The result of {@code --explain}: done, having run nothing. */
    static DisaggPipelineResult explained() {
        return new DisaggPipelineResult(null);
    }

    @Override
    public State getState() {
        if (job == null) {
            return State.DONE;
        }
        CompletableFuture<EmbeddedJob.Outcome> outcome = job.outcome();
        return outcome.isDone() ? state(outcome.join()) : State.RUNNING;
    }

    private static State state(EmbeddedJob.Outcome outcome) {
        return switch (outcome.kind()) {
            case DONE -> State.DONE;
            case CANCELLED -> State.CANCELLED;
            case FAILED -> State.FAILED;
        };
    }

    /** Stops the pipeline without finishing what is started, and waits until its threads and files are closed. */
    @Override
    public State cancel() throws IOException {
        if (job == null) {
            return State.DONE;
        }
        job.cancel();
        return state(job.outcome().join());
    }

    @Override
    public State waitUntilFinish() {
        if (job == null) {
            return State.DONE;
        }
        return ended(job.outcome().join());
    }

    /**
     * As {@link #waitUntilFinish()}, for at most {@code duration}; a duration that is not positive waits without limit.
     *
     * @return null when the pipeline is still running
     */
    @Override
    public @Nullable State waitUntilFinish(Duration duration) {
        if (job == null || duration.getMillis() <= 0) {
            return waitUntilFinish();
        }
        try {
            return ended(job.outcome().get(duration.getMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the outcome of a job is always a value", e);
        }
    }

    /** The end as Beam tells it: what user code threw is the cause of a {@link PipelineExecutionException}. */
    private static State ended(EmbeddedJob.Outcome outcome) {
        Throwable cause = outcome.cause();
        if (outcome.kind() == EmbeddedJob.Outcome.Kind.FAILED && cause != null) {
            for (Throwable at = cause; at != null; at = at.getCause()) {
                if (at instanceof UserCodeException user && user.getCause() != null) {
                    throw new UserCodeFailed(user.getCause(), cause);
                }
            }
            throw EmbeddedJob.asException(cause);
        }
        return state(outcome);
    }

    /** As Beam throws it, and says which step failed, at which key. */
    private static final class UserCodeFailed extends PipelineExecutionException {
        private static final long serialVersionUID = 1L;
        private final String message;

        UserCodeFailed(Throwable thrown, Throwable where) {
            super(thrown);
            addSuppressed(where);
            message = String.valueOf(where.getMessage());
        }

        @Override
        public String getMessage() {
            String own = String.valueOf(super.getMessage());
            return message.contains(own) ? message : message + ": " + own;
        }
    }

    /**
     * Attempted: what was counted so far, also before a restore. Committed: what the newest checkpoint contains, and all of
     * it once the pipeline is DONE. Each query looks anew.
     */
    @Override
    public MetricResults metrics() {
        return new MetricResults() {
            @Override
            public MetricQueryResults queryMetrics(@Nullable MetricsFilter filter) {
                MetricQueryResults found = metricsNow().queryMetrics(filter);
                return MetricQueryResults.create(
                        withCommitted(found.getCounters(), 0L),
                        withCommitted(found.getDistributions(), DistributionResult.IDENTITY_ELEMENT),
                        withCommitted(found.getGauges(), GaugeResult.empty()),
                        withCommitted(found.getStringSets(), StringSetResult.empty()),
                        withCommitted(found.getBoundedTries(), BoundedTrieResult.empty()),
                        found.getHistograms());
            }
        };
    }

    /** What is in no checkpoint yet is committed as {@code nothing}. */
    private static <T> List<MetricResult<T>> withCommitted(Iterable<MetricResult<T>> results, T nothing) {
        List<MetricResult<T>> all = new ArrayList<>();
        results.forEach(
                result -> all.add(result.hasCommitted() ? result : result.addCommitted(nothing, (one, other) -> one)));
        return all;
    }

    private MetricResults metricsNow() {
        if (job == null) {
            MetricsContainerStepMap none = new MetricsContainerStepMap();
            return MetricsContainerStepMap.asMetricResults(none, none);
        }
        // Committed first: it is never more than what was attempted.
        MetricsContainerStepMap committed = job.committedMetrics().orElseGet(MetricsContainerStepMap::new);
        return MetricsContainerStepMap.asMetricResults(job.attemptedMetrics(), committed);
    }

    /**
     * Stops reading and finishes what was read: endless sources end where they are, bounded ones are read to their end,
     * restrictions of splittable DoFns are truncated ({@code @TruncateRestriction}), waiting processing-time timers fire
     * once, all windows close. Returns at once; {@link #waitUntilFinish()} tells the end, which is DONE.
     *
     * @return completes when a checkpoint says that the job is drained: from then on it goes on to its end also after a
     *     restart. At once for a job that takes no checkpoints; with a failure when that checkpoint failed, and then the next
     *     one says it
     */
    public CompletableFuture<Void> drain() {
        return job == null ? CompletableFuture.completedFuture(null) : job.drain();
    }

    /** Takes a checkpoint now; completes when it is committed. */
    public CompletableFuture<Void> checkpoint() {
        return job == null ? CompletableFuture.completedFuture(null) : job.checkpoint();
    }

    /** Requests made to the object store so far. */
    public RequestCounts requests() {
        return job == null ? new RequestCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0) : job.requests();
    }

    /** For people and tests: records, watermark, in flight, checkpoints. */
    public EmbeddedJob.@Nullable Progress progress() {
        return job == null ? null : job.progress();
    }

    /** How each task is doing: what is in flight and what it waits for, hand-overs, drains, state in memory. */
    public List<TaskFigures> tasks() {
        return job == null ? List.of() : job.taskFigures();
    }

    EmbeddedJob.@Nullable DelayCounts delayCounts() {
        return job == null ? null : job.delayCounts();
    }
}
