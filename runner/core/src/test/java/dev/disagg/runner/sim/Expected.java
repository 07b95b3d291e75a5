// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.sim.JobProgram.Arrival;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Compares a run with what had to come of its program. */
final class Expected {
    /** In front of the key of what is output when a bundle ends. */
    static final String AT_END = "end:";

    private static final Comparator<JobRun.Out> ANY_ORDER =
            Comparator.comparingLong(JobRun.Out::value).thenComparingLong(JobRun.Out::timestampMillis);

    private Expected() {}

    static void check(JobRun run) {
        for (String key : run.program.keys) {
            KeyModel model = new KeyModel(run.program, key, run.recorder.log(key));
            model.check();
            outputs(run, key, model);
            releases(run, key, model);
            snapshots(run, key, model);
        }
        require(run.recorder.setups.get() == run.recorder.teardowns.get(), "instances are not torn down");
    }

    private static void outputs(JobRun run, String key, KeyModel model) {
        List<JobRun.Out> came =
                run.outs.stream().filter(out -> out.key().equals(key)).toList();
        same(key + ", outputs in order", came, model.outs);
        if (run.program.variant.keeps) {
            List<JobRun.Out> atEnd = new ArrayList<>(run.outs.stream()
                    .filter(out -> out.key().equals(AT_END + key))
                    .map(out -> new JobRun.Out(key, out.value(), out.timestampMillis()))
                    .toList());
            List<JobRun.Out> expected = new ArrayList<>(model.outs);
            atEnd.sort(ANY_ORDER);
            expected.sort(ANY_ORDER);
            same(key + ", outputs at the ends of bundles", atEnd, expected);
        }
    }

    private static void releases(JobRun run, String key, KeyModel model) {
        List<Entry> log = run.recorder.log(key);
        long last = JobProgram.MIN;
        for (JobRun.Release release : run.releases) {
            Integer seen = release.seen().get(key);
            if (seen == null) {
                continue;
            }
            last = Math.max(last, release.millis());
            for (int i = 0; i < model.arrivals().size(); i++) {
                Arrival arrival = model.arrivals().get(i);
                require(
                        arrival.watermarkMillis() >= release.millis() || model.elementAt.get(i) < seen,
                        "watermark " + release.millis() + " was released before " + arrival);
            }
            for (int i = seen; i < log.size(); i++) {
                Entry entry = log.get(i);
                boolean event = entry.kind() == Entry.Kind.EVENT_TIMER || entry.kind() == Entry.Kind.EXPIRY;
                require(
                        !event || entry.number() >= release.millis() || isOfLater(release, seen, i, log, model),
                        "watermark " + release.millis() + " was released before " + entry);
            }
        }
        require(last == JobProgram.MAX, "the last watermark is " + last);
    }

    /** Whether the firing is work of something that began behind the watermark. */
    private static boolean isOfLater(JobRun.Release release, int seen, int firing, List<Entry> log, KeyModel model) {
        int setter = model.setBy.get(firing);
        while (setter < seen && log.get(setter).kind() == Entry.Kind.EVENT_TIMER) {
            setter = model.setBy.get(setter);
        }
        return setter >= seen || log.get(setter).watermarkMillis() >= release.millis();
    }

    private static void snapshots(JobRun run, String key, KeyModel model) {
        for (JobRun.Snap snap : run.snaps) {
            Integer seen = snap.seen().get(key);
            if (seen == null) {
                continue;
            }
            for (int i = 0; i < model.arrivals().size(); i++) {
                boolean before = model.arrivals().get(i).checkpointsBefore() < snap.checkpoint();
                require(
                        before == model.elementAt.get(i) < seen,
                        "checkpoint " + snap.checkpoint() + " has " + (before ? "not " : "") + "seen "
                                + model.arrivals().get(i));
            }
        }
    }

    private static void same(String what, List<JobRun.Out> came, List<JobRun.Out> expected) {
        require(came.equals(expected), what + "\nexpected " + expected + "\n     got " + came);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
