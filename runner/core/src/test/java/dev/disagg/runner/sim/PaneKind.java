// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Repeatedly;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.Trigger;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** What groups the elements of a program, in which windows, and when it fires; translated once. */
enum PaneKind {
    GROUP_SESSIONS(false, true, DefaultTrigger.of(), false, 0),
    GROUP_SESSIONS_EARLY(false, true, earlyAndLate(2), false, 12),
    GROUP_FIXED(false, false, earlyAndLate(2), true, 12),
    GROUP_COUNTS(false, false, Repeatedly.forever(AfterPane.elementCountAtLeast(3)), false, 0),
    COMBINE_SESSIONS(true, true, earlyAndLate(2), true, 12),
    COMBINE_FIXED(true, false, earlyAndLate(3), true, 12),
    /** As accumulators of a combine before the exchange. */
    COMBINE_LIFTED(true, false, DefaultTrigger.of(), false, 0);

    private static final long GAP_MILLIS = 4;
    private static final long WINDOW_MILLIS = 10;

    final boolean accumulates;
    /** How long after its end a window takes elements. */
    final long latenessMillis;

    final StageGraph graph;
    final StageGraph.Stage stage;
    private final boolean sessions;
    private final boolean lifted;

    PaneKind(boolean combines, boolean sessions, Trigger trigger, boolean accumulates, long latenessMillis) {
        this.sessions = sessions;
        this.accumulates = accumulates;
        this.latenessMillis = latenessMillis;
        Window<KV<String, Long>> into = sessions
                ? Window.into(Sessions.withGapDuration(Duration.millis(GAP_MILLIS)))
                : Window.into(FixedWindows.of(Duration.millis(WINDOW_MILLIS)));
        into = into.triggering(trigger).withAllowedLateness(Duration.millis(latenessMillis));
        Pipeline pipeline = Pipeline.create();
        PCollection<KV<String, Long>> input = pipeline.apply(
                        Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply(accumulates ? into.accumulatingFiredPanes() : into.discardingFiredPanes());
        if (combines) {
            input.apply("Step", Combine.perKey(Sum.ofLongs())).apply("Behind", GroupByKey.create());
        } else {
            input.apply("Step", GroupByKey.create()).apply("Behind", GroupByKey.create());
        }
        graph = Translation.translate(pipeline, 1);
        stage = graph.stages().stream()
                .filter(each ->
                        each.head() instanceof Head.Keyed keyed && keyed.name().startsWith("Step"))
                .findFirst()
                .orElseThrow();
        lifted = stage.head() instanceof Head.Combine combine && combine.lifted();
    }

    private static Trigger earlyAndLate(int elements) {
        return AfterWatermark.pastEndOfWindow()
                .withEarlyFirings(AfterPane.elementCountAtLeast(elements))
                .withLateFirings(AfterPane.elementCountAtLeast(1));
    }

    BoundedWindow window(long millis) {
        if (sessions) {
            return new IntervalWindow(new Instant(millis), Duration.millis(GAP_MILLIS));
        }
        return FixedWindows.of(Duration.millis(WINDOW_MILLIS)).assignWindow(new Instant(millis));
    }

    /** Whether windows become one. */
    boolean merges() {
        return sessions;
    }

    /** An element as it comes through the exchange. */
    Object value(long number) {
        return lifted ? new long[] {number} : (Object) number;
    }
}
