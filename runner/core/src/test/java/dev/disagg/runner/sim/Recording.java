// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A DoFn that does what {@link Script} says, and refuses calls out of order. One that is told of the end of bundles keeps
 * values in fields while a bundle lasts, and outputs once more at its end.
 */
abstract class Recording extends DoFn<KV<String, Long>, KV<String, Long>> {
    private static final long serialVersionUID = 1L;

    private record Kept(KV<String, Long> output, Instant timestamp, BoundedWindow window) {}

    private transient @Nullable Recorder recorder;
    /** Of keys in the open bundle: right only if no other instance sees a key that is in it. */
    private transient Map<String, @Nullable Long> values = new HashMap<>();

    private transient List<Kept> outputs = new ArrayList<>();
    private transient boolean inBundle;
    private transient boolean inBody;

    final Recorder recorder() {
        Recorder mine = recorder;
        if (mine == null) {
            throw new IllegalStateException("not set up");
        }
        return mine;
    }

    @Setup
    public void setup() {
        require(recorder == null, "set up twice");
        recorder = Recorder.current();
        recorder().setups.incrementAndGet();
    }

    @StartBundle
    public void startBundle() {
        require(!inBody && !(inBundle && hearsOfEnd()), "a bundle is started in another");
        inBundle = true;
        recorder().bundlesOpen.addAndGet(hearsOfEnd() ? 1 : 0);
        values = new HashMap<>();
        outputs = new ArrayList<>();
    }

    /** Whether it is told of the end of bundles. */
    abstract boolean hearsOfEnd();

    @Teardown
    public void teardown() {
        require(recorder != null, "torn down twice");
        recorder().teardowns.incrementAndGet();
        recorder = null;
    }

    /** For those that are told of the end of bundles. */
    final void finish(FinishBundleContext context) {
        require(inBundle && !inBody, "a bundle is finished that is not open, or in a body");
        inBundle = false;
        recorder().bundlesOpen.decrementAndGet();
        outputs.forEach(kept -> context.output(kept.output, kept.timestamp, kept.window));
    }

    final void body(
            String key,
            Entry entry,
            States states,
            @Nullable Timers timers,
            long expiryMillis,
            BoundedWindow window,
            @Nullable OutputReceiver<KV<String, Long>> out) {
        // An exception of a task that is being ended leaves the flag; nothing comes after it.
        require(inBundle && !inBody, "a body outside of a bundle, or in another");
        inBody = true;
        Recorder mine = recorder();
        boolean maySet = mine.add(key, entry);
        Script script = new Script(mine.seed, key, entry, states, maySet ? timers : null, expiryMillis);
        String kept = key + "@" + entry.windowEndMillis();
        if (hearsOfEnd() && values.containsKey(kept)) {
            script.keptValue(values.get(kept));
        }
        long digest = script.run();
        require(inBundle, "the bundle was finished while a body waited");
        inBody = false;
        if (out != null) {
            out.output(KV.of(key, digest));
            outputs.add(new Kept(KV.of(Expected.AT_END + key, digest), new Instant(entry.timestampMillis()), window));
        }
        if (script.knowsValue()) {
            values.put(kept, script.value());
        }
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
