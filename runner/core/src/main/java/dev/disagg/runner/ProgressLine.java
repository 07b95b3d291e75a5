// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.async.AsyncMetrics;
import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.runner.engine.EngineTime;
import dev.disagg.runner.engine.TaskFigures;
import dev.disagg.ufs.RequestCounts;
import java.io.PrintStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** Says from time to time how a job is doing. Thread-safe. */
final class ProgressLine {
    private final EmbeddedJob job;
    private final PrintStream out;
    private final EngineTime time;
    private long lastRecords;
    private long lastNanos;
    private final long startNanos;

    ProgressLine(EmbeddedJob job, PrintStream out, EngineTime time) {
        this.job = job;
        this.out = out;
        this.time = time;
        this.startNanos = time.nanoTime();
        this.lastNanos = startNanos;
    }

    synchronized void print() {
        EmbeddedJob.Progress progress = job.progress();
        long now = time.nanoTime();
        double seconds = (now - lastNanos) / 1e9;
        double rate = (progress.records() - lastRecords) / Math.max(seconds, 1e-9);
        lastRecords = progress.records();
        lastNanos = now;
        out.printf(
                Locale.ROOT,
                "%,d records  %,.0f records/s  watermark %s  in flight %,d%s  %s%n",
                progress.records(),
                rate,
                watermark(progress.watermarkMillis()),
                progress.inFlight(),
                waits(progress),
                checkpoint(progress));
    }

    /** Why those in flight do not finish. */
    private static String waits(EmbeddedJob.Progress progress) {
        if (progress.waiting() + progress.parked() + progress.blocked() == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                " (%,d wait for state, %,d parked, %,d behind their key)",
                progress.waiting(),
                progress.parked(),
                progress.blocked());
    }

    private static String checkpoint(EmbeddedJob.Progress progress) {
        String failed = progress.failedCheckpoints() == 0 ? "" : " (" + progress.failedCheckpoints() + " given up)";
        return progress.checkpoints() == 0
                ? "no checkpoint yet" + failed
                : "checkpoint " + progress.lastCheckpoint() + " took " + progress.lastCheckpointMillis() + " ms, "
                        + Quantities.show(progress.lastCheckpointBytes()) + " new" + failed;
    }

    private static String watermark(long millis) {
        if (millis <= BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis()) {
            return "-";
        }
        return millis >= BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis()
                ? "end"
                : Instant.ofEpochMilli(millis).toString();
    }

    synchronized void printEnd() {
        EmbeddedJob.Progress progress = job.progress();
        double seconds = (time.nanoTime() - startNanos) / 1e9;
        RequestCounts requests = job.requests();
        out.printf(
                Locale.ROOT,
                "%s: %,d records in %.1f s, %,d checkpoints; object store: %,d writes (%s), %,d reads (%s), %,d deletes, %,d lists%n",
                job.outcome().join().kind(),
                progress.records(),
                seconds,
                progress.checkpoints(),
                requests.writes(),
                Quantities.show(requests.bytesWritten()),
                requests.reads(),
                Quantities.show(requests.bytesRead()),
                requests.deletes(),
                requests.lists());
        job.taskFigures().stream()
                .collect(Collectors.groupingBy(TaskFigures::stage, LinkedHashMap::new, Collectors.toList()))
                .forEach(this::printStage);
        out.println(job.keptState()
                .map(place -> "State and checkpoints are in " + place)
                .orElse("State and checkpoints were removed with the job; --keepState=true keeps them"));
    }

    /** Of stages with keys; the others have no computations. */
    private void printStage(String stage, List<TaskFigures> tasks) {
        long finished = 0;
        long inline = 0;
        long handOvers = 0;
        long stalls = 0;
        long drainNanos = 0;
        for (TaskFigures task : tasks) {
            AsyncMetrics async = task.async();
            finished += async.finished();
            inline += async.inline();
            handOvers += async.handOvers();
            stalls += async.admissionStalls();
            drainNanos = Math.max(drainNanos, async.drainNanos());
        }
        if (finished > 0) {
            out.printf(
                    Locale.ROOT,
                    "  %s: %,d computations, %.1f %% without a wait, %,d hand-overs, %,d times at the in-flight bound, at most %,d ms in drains%n",
                    stage,
                    finished,
                    100.0 * inline / finished,
                    handOvers,
                    stalls,
                    drainNanos / 1_000_000);
        }
    }
}
