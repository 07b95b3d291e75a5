// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Keeps a digest of the values of a key and window, notes what it sees in a {@link Trace}, and outputs what it noted. */
abstract class DigestFn extends DoFn<KV<String, Long>, KV<String, Long>> {
    private static final long serialVersionUID = 1L;

    final void element(
            KV<String, Long> element,
            BoundedWindow window,
            List<Long> side,
            ValueState<Long> digest,
            Timer end,
            OutputReceiver<KV<String, Long>> out) {
        Long before = digest.read();
        long after = Seen.digest(before == null ? 0 : before, element.getValue());
        note(element.getKey(), new Seen(element.getValue(), end(window), after, side, now(end), committed()));
        digest.write(after);
        end.withOutputTimestamp(window.maxTimestamp()).set(window.maxTimestamp());
        out.output(KV.of(element.getKey(), element.getValue()));
    }

    final void ended(
            String key,
            BoundedWindow window,
            ValueState<Long> digest,
            Timer end,
            OutputReceiver<KV<String, Long>> out) {
        Long all = digest.read();
        note(key, new Seen(Seen.TIMER, end(window), all == null ? 0 : all, List.of(), now(end), committed()));
        out.output(KV.of(key, Seen.TIMER));
    }

    final void soon(
            String key,
            BoundedWindow window,
            ValueState<Long> digest,
            Timer end,
            OutputReceiver<KV<String, Long>> out) {
        Long all = digest.read();
        note(key, new Seen(Seen.SOON, end(window), all == null ? 0 : all, List.of(), now(end), committed()));
        out.output(KV.of(key, Seen.SOON));
    }

    private static void note(String key, Seen seen) {
        Trace.<Seen>current().log(key).add(seen);
    }

    private static long committed() {
        return Trace.current().committed();
    }

    private static long end(BoundedWindow window) {
        return window.maxTimestamp().getMillis();
    }

    private static long now(Timer timer) {
        Instant watermark = timer.getCurrentRelativeTime();
        return watermark.getMillis();
    }

    /** Reads a side input. */
    static final class WithSide extends DigestFn {
        private static final long serialVersionUID = 1L;

        @StateId("digest")
        private final StateSpec<ValueState<Long>> specDigest = StateSpecs.value(VarLongCoder.of());

        @TimerId("end")
        private final TimerSpec specEnd = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        private final PCollectionView<Iterable<KV<String, Long>>> view;

        WithSide(PCollectionView<Iterable<KV<String, Long>>> view) {
            this.view = view;
        }

        @ProcessElement
        public void process(
                ProcessContext context,
                BoundedWindow window,
                @StateId("digest") ValueState<Long> digest,
                @TimerId("end") Timer end,
                OutputReceiver<KV<String, Long>> out) {
            List<Long> side = new ArrayList<>();
            context.sideInput(view).forEach(each -> side.add(each.getValue()));
            element(context.element(), window, side, digest, end, out);
        }

        @OnTimer("end")
        public void onEnd(
                @Key String key,
                BoundedWindow window,
                @StateId("digest") ValueState<Long> digest,
                @TimerId("end") Timer end,
                OutputReceiver<KV<String, Long>> out) {
            ended(key, window, digest, end, out);
        }
    }

    /** What it sees comes again, the same. */
    static final class Stable extends DigestFn {
        private static final long serialVersionUID = 1L;

        @StateId("digest")
        private final StateSpec<ValueState<Long>> specDigest = StateSpecs.value(VarLongCoder.of());

        @TimerId("end")
        private final TimerSpec specEnd = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @TimerId("soon")
        private final TimerSpec specSoon = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

        @ProcessElement
        @RequiresStableInput
        public void process(
                @Element KV<String, Long> element,
                BoundedWindow window,
                @StateId("digest") ValueState<Long> digest,
                @TimerId("end") Timer end,
                @TimerId("soon") Timer soon,
                OutputReceiver<KV<String, Long>> out) {
            element(element, window, List.of(), digest, end, out);
            if (element.getValue() % DigestProgram.ATTEMPT % 3 == 0) {
                soon.offset(Duration.millis(1)).setRelative();
            }
        }

        @OnTimer("soon")
        public void onSoon(
                @Key String key,
                BoundedWindow window,
                @StateId("digest") ValueState<Long> digest,
                @TimerId("end") Timer end,
                OutputReceiver<KV<String, Long>> out) {
            soon(key, window, digest, end, out);
        }

        @OnTimer("end")
        public void onEnd(
                @Key String key,
                BoundedWindow window,
                @StateId("digest") ValueState<Long> digest,
                @TimerId("end") Timer end,
                OutputReceiver<KV<String, Long>> out) {
            ended(key, window, digest, end, out);
        }
    }
}
