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

/** A DoFn that does what {@link Script} says, and refuses calls out of order. */
abstract class Recording extends DoFn<KV<String, Long>, KV<String, Long>> {
    private static final long serialVersionUID = 1L;

    private transient @Nullable Recorder recorder;
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
        recorder().setups++;
    }

    @StartBundle
    public void startBundle() {
        require(!inBody && !(inBundle && hearsOfEnd()), "a bundle is started in another");
        inBundle = true;
        recorder().bundlesOpen += hearsOfEnd() ? 1 : 0;
        begin();
    }

    /** Whether it is told of the end of bundles. */
    abstract boolean hearsOfEnd();

    @Teardown
    public void teardown() {
        require(recorder != null, "torn down twice");
        recorder().teardowns++;
        recorder = null;
    }

    final void bundleFinished() {
        require(inBundle && !inBody, "a bundle is finished that is not open, or in a body");
        inBundle = false;
        recorder().bundlesOpen--;
    }

    /** A bundle begins. */
    abstract void begin();

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
        recall(kept, script);
        long digest = script.run();
        require(inBundle, "the bundle was finished while a body waited");
        inBody = false;
        if (out != null) {
            out.output(KV.of(key, digest));
            keep(KV.of(Expected.AT_END + key, digest), entry, window);
        }
        remember(kept, script);
    }

    /** Tells the script what the DoFn has kept of the key and window. */
    void recall(String key, Script script) {}

    /** Keeps what the script knows of the key and window. */
    void remember(String key, Script script) {}

    /** Keeps what is to be output when the bundle ends. */
    void keep(KV<String, Long> output, Entry entry, BoundedWindow window) {}

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }

    /**
     * Keeps values in fields while a bundle lasts, and outputs at its end. Right only if no other instance sees a key that
     * is in the open bundle.
     */
    abstract static class Keeping extends Recording {
        private static final long serialVersionUID = 1L;

        private record Kept(KV<String, Long> output, Instant timestamp, BoundedWindow window) {}

        private transient @Nullable Map<String, @Nullable Long> values;
        private transient @Nullable List<Kept> outputs;

        @Override
        void begin() {
            values = new HashMap<>();
            outputs = new ArrayList<>();
        }

        @FinishBundle
        public void finishBundle(FinishBundleContext context) {
            bundleFinished();
            if (outputs != null) {
                outputs.forEach(kept -> context.output(kept.output, kept.timestamp, kept.window));
            }
        }

        @Override
        void recall(String key, Script script) {
            if (values != null && values.containsKey(key)) {
                script.keptValue(values.get(key));
            }
        }

        @Override
        void remember(String key, Script script) {
            if (values != null && script.knowsValue()) {
                values.put(key, script.value());
            }
        }

        @Override
        void keep(KV<String, Long> output, Entry entry, BoundedWindow window) {
            if (outputs != null) {
                outputs.add(new Kept(output, new Instant(entry.timestampMillis()), window));
            }
        }

        @Override
        boolean hearsOfEnd() {
            return true;
        }
    }

    /** Keeps nothing. */
    abstract static class Plain extends Recording {
        private static final long serialVersionUID = 1L;

        @Override
        void begin() {}

        @Override
        boolean hearsOfEnd() {
            return false;
        }
    }
}
