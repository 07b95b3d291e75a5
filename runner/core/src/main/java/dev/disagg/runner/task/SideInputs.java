// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.View;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.InMemoryMultimapSideInputView;
import org.apache.beam.runners.core.LateDataUtils;
import org.apache.beam.runners.core.ReadyCheckingSideInputReader;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.IterableCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.Materializations;
import org.apache.beam.sdk.transforms.ViewFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The side inputs of one task: per view and window the newest pane, and the watermark of each view, which says when a
 * window that got nothing is empty for good. One owner.
 */
final class SideInputs implements ReadyCheckingSideInputReader {
    private final List<View> views;
    private final Map<PCollectionView<?>, Integer> indexes = new HashMap<>();
    private final List<Map<BoundedWindow, Held>> held = new ArrayList<>();
    private final long[] watermarks;

    /** The newest pane of a window; the view's value is made when it is first asked for. */
    private static final class Held {
        final ViewPane pane;

        @Nullable
        Object value;

        boolean made;

        Held(ViewPane pane) {
            this.pane = pane;
        }
    }

    SideInputs(List<View> views) {
        this.views = List.copyOf(views);
        for (int i = 0; i < views.size(); i++) {
            indexes.put(views.get(i).view(), i);
            held.add(new HashMap<>());
        }
        watermarks = new long[views.size()];
        java.util.Arrays.fill(watermarks, Frontier.MIN);
    }

    /** Takes a pane, unless a later one is there; returns whether it was taken. */
    boolean take(ViewPane pane) {
        Held before = held.get(pane.view()).get(pane.window());
        if (before != null && before.pane.pane() > pane.pane()) {
            return false;
        }
        held.get(pane.view()).put(pane.window(), new Held(pane));
        return true;
    }

    void watermark(int view, long millis) {
        watermarks[view] = Math.max(watermarks[view], millis);
    }

    /** Whether an element in {@code window} can be processed: all its side inputs are there. */
    boolean isReady(BoundedWindow window) {
        for (View view : views) {
            if (!isReady(view.view(), view.view().getWindowMappingFn().getSideInputWindow(window))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean isReady(PCollectionView<?> view, BoundedWindow window) {
        int index = index(view);
        return held.get(index).containsKey(window) || watermarks[index] > emptyAfterMillis(view, window);
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

    private int index(PCollectionView<?> view) {
        Integer index = indexes.get(view);
        if (index == null) {
            throw new IllegalArgumentException(
                    "the side input " + view + " is not one of this step: declare it with withSideInputs");
        }
        return index;
    }

    @Override
    public <T> boolean contains(PCollectionView<T> view) {
        return indexes.containsKey(view);
    }

    @Override
    public boolean isEmpty() {
        return views.isEmpty();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(PCollectionView<T> view, BoundedWindow window) {
        Map<BoundedWindow, Held> ofView = held.get(index(view));
        Held there = ofView.computeIfAbsent(
                window, empty -> new Held(new ViewPane(index(view), window, -1, Collections.emptyList())));
        if (!there.made) {
            there.value = make(view, there.pane.elements());
            there.made = true;
        }
        return (T) there.value;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> T make(PCollectionView<T> view, List<?> elements) {
        ViewFn viewFn = view.getViewFn();
        String kind = viewFn.getMaterialization().getUrn();
        return switch (kind) {
            case Materializations.ITERABLE_MATERIALIZATION_URN ->
                (T) viewFn.apply((Materializations.IterableView) () -> elements);
            case Materializations.MULTIMAP_MATERIALIZATION_URN ->
                (T) viewFn.apply(InMemoryMultimapSideInputView.fromIterable(
                        ((KvCoder) view.getCoderInternal()).getKeyCoder(), (Iterable) elements));
            default -> throw new IllegalStateException("side inputs of the form " + kind + " are not known");
        };
    }

    /** A pane as it is stored: [pane 8][window][elements]. */
    byte[] encode(ViewPane pane) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeLong(pane.pane());
            windowCoder(pane.view()).encode(pane.window(), out);
            elementsCoder(pane.view()).encode(castElements(pane.elements()), out);
        } catch (IOException e) {
            throw new Failed(
                    "a pane of the side input " + views.get(pane.view()).id() + " can not be encoded: " + e.getMessage()
                            + "; check the coder of its collection",
                    e);
        }
        return bytes.toByteArray();
    }

    ViewPane decode(int view, byte[] stored) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored));
        try {
            long pane = in.readLong();
            BoundedWindow window = windowCoder(view).decode(in);
            List<Object> elements = new ArrayList<>();
            elementsCoder(view).decode(in).forEach(elements::add);
            return new ViewPane(view, window, pane, elements);
        } catch (IOException e) {
            throw new Failed(
                    "a stored pane of the side input " + views.get(view).id() + " can not be decoded: " + e.getMessage()
                            + "; has the coder of its collection changed?",
                    e);
        }
    }

    @SuppressWarnings("unchecked")
    private Coder<BoundedWindow> windowCoder(int view) {
        return (Coder<BoundedWindow>) views.get(view)
                .view()
                .getWindowingStrategyInternal()
                .getWindowFn()
                .windowCoder();
    }

    @SuppressWarnings("unchecked")
    private Coder<Iterable<Object>> elementsCoder(int view) {
        return IterableCoder.of((Coder<Object>) views.get(view).view().getCoderInternal());
    }

    @SuppressWarnings("unchecked")
    private static Iterable<Object> castElements(List<?> elements) {
        return (Iterable<Object>) elements;
    }

    String viewId(int view) {
        return views.get(view).id();
    }

    int viewCount() {
        return views.size();
    }
}
