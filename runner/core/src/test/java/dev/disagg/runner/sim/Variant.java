// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;

/** Which DoFn a program runs; translated once. */
enum Variant {
    SCALARS(new JobFns.Scalars(), 0, true, false, false),
    COLLECTIONS(new JobFns.Collections(), 0, false, true, false),
    TIMED(new JobFns.TimedKeeping(), 0, true, false, true),
    TIMED_PLAIN(new JobFns.TimedPlain(), 0, true, false, true),
    WINDOWED(new WindowedFn(), 16, true, false, true);

    /** Length of fixed windows; 0 for the global window. */
    final long windowMillis;

    final boolean scalars;
    final boolean collections;
    final boolean timed;
    /** Whether it outputs at the end of bundles, too. */
    final boolean keeps;

    final StageGraph graph;
    final StageGraph.Stage stage;

    Variant(Recording fn, long windowMillis, boolean scalars, boolean collections, boolean timed) {
        this.windowMillis = windowMillis;
        this.scalars = scalars;
        this.collections = collections;
        this.timed = timed;
        this.keeps = fn.hearsOfEnd();
        Pipeline pipeline = Pipeline.create();
        pipeline.apply(Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply(Window.into(
                        windowMillis == 0 ? new GlobalWindows() : FixedWindows.of(Duration.millis(windowMillis))))
                .apply("Step", ParDo.of(fn))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Behind", GroupByKey.create());
        graph = Translation.translate(pipeline, 1);
        stage = graph.stages().stream()
                .filter(each -> each.head() instanceof Head.Stateful)
                .findFirst()
                .orElseThrow();
    }
}
