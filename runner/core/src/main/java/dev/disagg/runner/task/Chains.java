// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;

/**
 * The chains of a task, one for each of its workers, and their bundles. A chain's bundle begins and ends on the thread of its
 * worker, as all user code of the chain runs there. Leader only.
 */
final class Chains {
    private final int maxBundleElements;
    private final long maxBundleNanos;
    private final BiConsumer<Worker, Runnable> runOn;
    private final Runnable advance;
    private final List<Chain> all = new ArrayList<>();
    private final List<InMemoryBundleFinalizer.Finalization> finalizations = new ArrayList<>();

    /**
     * @param runOn runs a call on the thread of a worker that no computation is on, and returns when it is over
     * @param advance told of each element and timer, so that many short calls are told from one that does not return
     */
    Chains(TaskSpec spec, BiConsumer<Worker, Runnable> runOn, Runnable advance) {
        this.runOn = runOn;
        this.advance = advance;
        maxBundleElements = spec.maxBundleElements();
        maxBundleNanos = spec.maxBundleNanos();
    }

    void add(Chain chain) {
        all.add(chain);
    }

    void remove(Chain chain) {
        all.remove(chain);
    }

    /** Whether a key may meet more than one. */
    boolean several() {
        return all.size() > 1;
    }

    /** An element or timer is about to enter: a bundle that is full ends before it. */
    void enter(Chain chain, long timestampMillis, TaskHost host) {
        finishIfFull(chain);
        enterBundle(chain, timestampMillis, host);
    }

    /** As {@link #enter}, when the bundle is known not to be full. */
    void enterBundle(Chain chain, long timestampMillis, TaskHost host) {
        advance.run();
        chain.enter(timestampMillis, host);
    }

    /** On the thread of the chain. */
    void finishIfFull(Chain chain) {
        if (chain.isFull(maxBundleElements)) {
            finish(chain);
        }
    }

    /** On the thread of the chain. */
    void finish(Chain chain) {
        finalizations.addAll(chain.finishBundle());
    }

    private void finishOnItsThread(Chain chain) {
        runOn.accept(chain.worker(), () -> finish(chain));
    }

    /** Finishes the bundles that have reached a bound, and has that output which was kept back long enough. */
    void finishDue(long nowNanos) {
        for (Chain chain : all) {
            if (!chain.inBody && chain.isFull(maxBundleElements, maxBundleNanos, nowNanos)) {
                finishOnItsThread(chain);
            }
            if (!chain.inBody && chain.keepsFor(maxBundleNanos, nowNanos)) {
                chain.flush();
            }
        }
    }

    /** Finishes the bundles of all chains that no computation is in; returns whether there was one. */
    boolean finishAll() {
        boolean any = false;
        for (Chain chain : all) {
            if (!chain.inBody && chain.isOpen()) {
                finishOnItsThread(chain);
                any = true;
            }
        }
        return any;
    }

    /** Has all that output which steps keep back between bundles. */
    void flush() {
        all.forEach(Chain::flush);
    }

    /** The watermark that open bundles and bodies that are parked hold; {@link Long#MAX_VALUE} for none. */
    long holdMillis() {
        long hold = Long.MAX_VALUE;
        for (Chain chain : all) {
            hold = Math.min(hold, chain.holdMillis());
            if (chain.inBody) {
                hold = Math.min(hold, chain.floorMillis);
            }
        }
        return hold;
    }

    /** Whether callbacks wait for a checkpoint. */
    boolean hasFinalizations() {
        return !finalizations.isEmpty();
    }

    /** The callbacks of the bundles finished since the last call. */
    List<InMemoryBundleFinalizer.Finalization> takeFinalizations() {
        List<InMemoryBundleFinalizer.Finalization> taken = List.copyOf(finalizations);
        finalizations.clear();
        return taken;
    }
}
