// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.state.Reads;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.beam.runners.core.InMemoryMultimapSideInputView;
import org.apache.beam.runners.core.ReadyCheckingSideInputReader;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.Materializations;
import org.apache.beam.sdk.transforms.ViewFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.PCollectionView;
import org.jspecify.annotations.Nullable;

/**
 * A task's side inputs as one chain reads them. The value of a large pane belongs to the chain: Beam's views hold locks while
 * they read, which another computation would run into when the first one waits. Values of small panes, which never wait,
 * are made once for all. Leader only.
 */
final class ChainSideInputs implements ReadyCheckingSideInputReader {
    private final SideInputs sideInputs;
    private final Reads reads;
    /** Goes with the pane. */
    private final Map<SideInputs.Held, Object> values = new WeakHashMap<>();

    ChainSideInputs(SideInputs sideInputs, Reads reads) {
        this.sideInputs = sideInputs;
        this.reads = reads;
    }

    @Override
    public boolean isReady(PCollectionView<?> view, BoundedWindow window) {
        return sideInputs.isReady(sideInputs.index(view), window);
    }

    @Override
    public <T> boolean contains(PCollectionView<T> view) {
        return sideInputs.contains(view);
    }

    @Override
    public boolean isEmpty() {
        return sideInputs.isEmpty();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(PCollectionView<T> view, BoundedWindow window) {
        int index = sideInputs.index(view);
        SideInputs.Held there = sideInputs.held(index, window);
        if (there.pane.content() instanceof ViewPane.Small small) {
            if (!there.made) {
                there.value = make(view, inMemory(view, small));
                there.made = true;
            }
            return (T) there.value;
        }
        Object value = values.get(there);
        if (value == null) {
            ViewPane.Large large = (ViewPane.Large) there.pane.content();
            value = make(view, stored(view, new LargePane(sideInputs.viewId(index), large.run(), reads)));
            values.put(there, value);
        }
        return (T) value;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static @Nullable Object make(PCollectionView<?> view, Object primitive) {
        return ((ViewFn) view.getViewFn()).apply(primitive);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object inMemory(PCollectionView<?> view, ViewPane.Small small) {
        if (isMultimap(view)) {
            return InMemoryMultimapSideInputView.fromIterable(
                    EncodedKeys.of(((KvCoder) view.getCoderInternal()).getKeyCoder()), (Iterable) small.elements());
        }
        Iterable<Object> elements = (Iterable) small.elements();
        return (Materializations.IterableView<Object>) () -> elements;
    }

    private static Object stored(PCollectionView<?> view, LargePane pane) {
        Coder<?> coder = view.getCoderInternal();
        return isMultimap(view) ? pane.multimap((KvCoder<?, ?>) coder) : pane.iterable(coder);
    }

    private static boolean isMultimap(PCollectionView<?> view) {
        String kind = view.getViewFn().getMaterialization().getUrn();
        return switch (kind) {
            case Materializations.ITERABLE_MATERIALIZATION_URN -> false;
            case Materializations.MULTIMAP_MATERIALIZATION_URN -> true;
            default -> throw new IllegalStateException("side inputs of the form " + kind + " are not known");
        };
    }
}
