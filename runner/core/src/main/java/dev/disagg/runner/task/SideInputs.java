// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.runners.core.LateDataUtils;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The side inputs of one task: per view and window the newest pane, and the watermark of each view, which says when a
 * window that got nothing is empty for good. A window that no element of the main input can read any more is forgotten.
 * One owner; what chains read of it: {@link ChainSideInputs}.
 */
final class SideInputs {
    /** For how long an element may come: always. */
    static final long NEVER = Long.MAX_VALUE;

    private final List<View> views;
    private final Map<PCollectionView<?>, Integer> indexes = new HashMap<>();
    private final List<Map<BoundedWindow, Held>> held = new ArrayList<>();
    private final long[] watermarks;
    private final long latenessMillis;
    private final TreeMap<Long, List<Place>> byLastRead = new TreeMap<>();
    private long forgottenBefore = Long.MIN_VALUE;

    /** The newest pane of a window. */
    static final class Held {
        final ViewPane pane;
        /** Of a small pane: the view's value, made when it is first asked for. */
        @Nullable
        Object value;

        boolean made;

        Held(ViewPane pane) {
            this.pane = pane;
        }
    }

    private record Place(int view, BoundedWindow window) {}

    /** @param latenessMillis for how long after its end a window of the main input takes elements; {@link #NEVER} for always */
    SideInputs(List<View> views, long latenessMillis) {
        this.views = List.copyOf(views);
        this.latenessMillis = latenessMillis;
        for (int i = 0; i < views.size(); i++) {
            indexes.put(views.get(i).view(), i);
            held.add(new HashMap<>());
        }
        watermarks = new long[views.size()];
        Arrays.fill(watermarks, Frontier.MIN);
    }

    /** Whether a pane is news: no later one is there, and somebody can read it. */
    boolean wants(ViewPane pane) {
        Held before = held.get(pane.view()).get(pane.window());
        return !isForgotten(pane.view(), pane.window()) && (before == null || before.pane.pane() <= pane.pane());
    }

    /** Takes a pane that it {@link #wants}; returns the one that it replaces, null for none. */
    @Nullable
    ViewPane take(ViewPane pane) {
        Held before = held.get(pane.view()).put(pane.window(), new Held(pane));
        if (before == null) {
            remember(pane.view(), pane.window());
            return null;
        }
        return before.pane;
    }

    private void remember(int view, BoundedWindow window) {
        long last = lastReadMillis(view, window);
        if (last != NEVER) {
            byLastRead.computeIfAbsent(last, time -> new ArrayList<>()).add(new Place(view, window));
        }
    }

    /** The main input's watermark at which nothing can read a window of a side input any more. */
    private long lastReadMillis(int view, BoundedWindow window) {
        if (window instanceof GlobalWindow || latenessMillis == NEVER) {
            return NEVER;
        }
        Duration lookback = views.get(view).view().getWindowMappingFn().maximumLookback();
        long last = window.maxTimestamp().getMillis();
        for (long more : new long[] {lookback.getMillis(), latenessMillis}) {
            last = last > NEVER - more ? NEVER : last + more;
        }
        return last;
    }

    /** Forgets what nothing can read at this watermark of the main input; returns the panes that were held. */
    List<ViewPane> forgetBefore(long watermarkMillis) {
        if (watermarkMillis <= forgottenBefore) {
            return List.of();
        }
        forgottenBefore = watermarkMillis;
        List<ViewPane> gone = new ArrayList<>();
        while (!byLastRead.isEmpty() && byLastRead.firstKey() < watermarkMillis) {
            for (Place place : byLastRead.pollFirstEntry().getValue()) {
                Held was = held.get(place.view()).remove(place.window());
                if (was != null) {
                    gone.add(was.pane);
                }
            }
        }
        return gone;
    }

    private boolean isForgotten(int view, BoundedWindow window) {
        return lastReadMillis(view, window) < forgottenBefore;
    }

    /** Whether an element in {@code window} comes too late to find its side inputs. */
    boolean isTooLate(BoundedWindow window) {
        for (int view = 0; view < views.size(); view++) {
            if (isForgotten(view, mapped(view, window))) {
                return true;
            }
        }
        return false;
    }

    private BoundedWindow mapped(int view, BoundedWindow window) {
        return views.get(view).view().getWindowMappingFn().getSideInputWindow(window);
    }

    void watermark(int view, long millis) {
        watermarks[view] = Math.max(watermarks[view], millis);
    }

    /** Whether an element in {@code window} can be processed: all its side inputs are there. */
    boolean isReady(BoundedWindow window) {
        for (int view = 0; view < views.size(); view++) {
            if (!isReady(view, mapped(view, window))) {
                return false;
            }
        }
        return true;
    }

    boolean isReady(int view, BoundedWindow window) {
        return held.get(view).containsKey(window)
                || watermarks[view] > emptyAfterMillis(views.get(view).view(), window);
    }

    /**
     * The watermark after which a window that got no pane gets none: its trigger has surely fired, or it has expired. A
     * trigger that waits for late data, or never fires, may still bring one after the window's end.
     */
    @SuppressWarnings("unchecked")
    private static long emptyAfterMillis(PCollectionView<?> view, BoundedWindow window) {
        var strategy = (WindowingStrategy<?, BoundedWindow>) view.getWindowingStrategyInternal();
        return Math.min(
                LateDataUtils.garbageCollectionTime(window, strategy).getMillis(),
                strategy.getTrigger().getWatermarkThatGuaranteesFiring(window).getMillis());
    }

    int index(PCollectionView<?> view) {
        Integer index = indexes.get(view);
        if (index == null) {
            throw new IllegalArgumentException(
                    "the side input " + view + " is not one of this step: declare it with withSideInputs");
        }
        return index;
    }

    boolean contains(PCollectionView<?> view) {
        return indexes.containsKey(view);
    }

    boolean isEmpty() {
        return views.isEmpty();
    }

    /** The pane of a window; one without elements when there is none. */
    Held held(int view, BoundedWindow window) {
        return held.get(view).computeIfAbsent(window, empty -> {
            remember(view, empty);
            return new Held(new ViewPane(view, empty, -1, ViewPane.Small.NOTHING));
        });
    }

    String viewId(int view) {
        return views.get(view).id();
    }

    /** How many panes are held. For tests. */
    int paneCount() {
        return held.stream().mapToInt(Map::size).sum();
    }
}
