// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.IterableCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VoidCoder;
import org.apache.beam.sdk.runners.TransformHierarchy;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.util.construction.SplittableParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.PCollectionViews;

/**
 * Adds to a pipeline, for each view that some ParDo reads, the transforms that gather the view's elements per window and
 * pane; what {@link Write} consumes goes to all tasks of the readers.
 */
final class MaterializedViews {
    private MaterializedViews() {}

    static void addTo(Pipeline pipeline) {
        Set<PCollectionView<?>> views = new LinkedHashSet<>();
        pipeline.traverseTopologically(new Pipeline.PipelineVisitor.Defaults() {
            @Override
            public void visitPrimitiveTransform(TransformHierarchy.Node node) {
                if (node.getTransform() instanceof ParDo.MultiOutput<?, ?> parDo) {
                    views.addAll(parDo.getSideInputs().values());
                } else if (node.getTransform() instanceof SplittableParDo.ProcessKeyedElements<?, ?, ?, ?> process) {
                    views.addAll(process.getSideInputs());
                }
            }
        });
        for (PCollectionView<?> view : views) {
            materialize(view);
        }
    }

    private static <T, V> void materialize(PCollectionView<V> view) {
        @SuppressWarnings("unchecked")
        PCollection<T> elements = (PCollection<T>) view.getPCollection();
        if (elements == null) {
            throw new IllegalStateException(
                    "the view " + view + " has no collection: it was not made by this pipeline");
        }
        // Not by the view's tag, which Beam draws anew in each run: the name must be the same when a checkpoint is
        // restored.
        elements.apply("DisaggRunner/Materialize " + elements.getName(), new Gather<T, V>(view));
    }

    private static final class Gather<T, V> extends PTransform<PCollection<T>, PCollection<T>> {
        private static final long serialVersionUID = 1L;
        private final transient PCollectionView<V> view;

        Gather(PCollectionView<V> view) {
            this.view = view;
        }

        @Override
        public PCollection<T> expand(PCollection<T> input) {
            PCollection<Iterable<T>> panes;
            if (view.getViewFn() instanceof PCollectionViews.IsSingletonView) {
                panes = input.apply("AsPane", ParDo.of(new OneElementPane<>()))
                        .setCoder(IterableCoder.of(input.getCoder()));
            } else {
                panes = input.apply("WithOneKey", WithKeys.of((Void) null))
                        .setCoder(KvCoder.of(VoidCoder.of(), input.getCoder()))
                        .apply("Gather", GroupByKey.create())
                        .apply("Panes", Values.create());
            }
            panes.apply("Write", new Write<>(view));
            return input;
        }
    }

    private static final class OneElementPane<T> extends DoFn<T, Iterable<T>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element T element, OutputReceiver<Iterable<T>> out) {
            out.output(java.util.Collections.singletonList(element));
        }
    }

    /** The end of a view's way in the pipeline: its panes. */
    static final class Write<T, V> extends PTransform<PCollection<Iterable<T>>, PCollection<Iterable<T>>> {
        private static final long serialVersionUID = 1L;
        private final transient PCollectionView<V> view;

        Write(PCollectionView<V> view) {
            this.view = view;
        }

        PCollectionView<V> view() {
            return view;
        }

        @Override
        public PCollection<Iterable<T>> expand(PCollection<Iterable<T>> input) {
            return PCollection.createPrimitiveOutputInternal(
                    input.getPipeline(), input.getWindowingStrategy(), input.isBounded(), input.getCoder());
        }
    }

    /** The views of a ParDo, each once. */
    static List<PCollectionView<?>> of(ParDoSpec parDo) {
        return parDo.sideInputs().values().stream().distinct().toList();
    }
}
