// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.runners.AppliedPTransform;
import org.apache.beam.sdk.runners.TransformHierarchy;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.Impulse;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.reflect.DoFnSignature;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.util.AppliedCombineFn;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.util.construction.External;
import org.apache.beam.sdk.util.construction.PTransformTranslation;
import org.apache.beam.sdk.util.construction.ParDoTranslation;
import org.apache.beam.sdk.util.construction.SplittableParDo;
import org.apache.beam.sdk.util.construction.TransformInputs;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.jspecify.annotations.Nullable;

/** Visits Beam's transforms in topological order and tells a {@link GraphBuilder} what each one is. */
final class PipelineReader extends Pipeline.PipelineVisitor.Defaults {
    private static final String URN_RESHUFFLE = PTransformTranslation.RESHUFFLE_URN;
    private static final String URN_REDISTRIBUTE_BY_KEY = PTransformTranslation.REDISTRIBUTE_BY_KEY_URN;

    private final Pipeline pipeline;
    private final GraphBuilder builder;
    private final List<String> problems;

    PipelineReader(Pipeline pipeline, GraphBuilder builder, List<String> problems) {
        this.pipeline = pipeline;
        this.builder = builder;
        this.problems = problems;
    }

    @Override
    public CompositeBehavior enterCompositeTransform(TransformHierarchy.Node node) {
        PTransform<?, ?> transform = node.getTransform();
        if (transform instanceof Combine.PerKey<?, ?, ?> combine
                && combine.getSideInputs().isEmpty()) {
            return combinePerKey(node, combine);
        }
        String urn = transform == null ? null : PTransformTranslation.urnForTransformOrNull(transform);
        if (URN_RESHUFFLE.equals(urn) || URN_REDISTRIBUTE_BY_KEY.equals(urn)) {
            PCollection<?> input = onlyInput(node);
            PCollection<?> output = onlyOutput(node);
            if (input.getCoder() instanceof KvCoder<?, ?> kv) {
                builder.reshuffle(node.getFullName(), input, output, kv.getKeyCoder());
                return CompositeBehavior.DO_NOT_ENTER_TRANSFORM;
            }
        }
        return CompositeBehavior.ENTER_TRANSFORM;
    }

    private CompositeBehavior combinePerKey(TransformHierarchy.Node node, Combine.PerKey<?, ?, ?> combine) {
        PCollection<?> input = onlyInput(node);
        if (!(input.getCoder() instanceof KvCoder<?, ?> kv)) {
            return CompositeBehavior.ENTER_TRANSFORM;
        }
        WindowingStrategy<?, ?> windowing = input.getWindowingStrategy();
        AppliedCombineFn<?, ?, ?, ?> applied;
        try {
            applied = AppliedCombineFn.withInputCoder(
                    rawCombineFn(combine), pipeline.getCoderRegistry(), rawKv(kv), List.of(), windowing);
        } catch (IllegalStateException e) {
            // No coder for accumulators: group all values, then combine them, as Beam expands it.
            return CompositeBehavior.ENTER_TRANSFORM;
        }
        Translation.checkKeyCoder(node.getFullName(), kv.getKeyCoder(), problems);
        boolean lift = !windowing.needsMerge()
                && windowing.getTrigger() instanceof DefaultTrigger
                && combine.getFn() instanceof Combine.CombineFn;
        builder.combine(node.getFullName(), input, onlyOutput(node), kv, applied, lift, windowing);
        return CompositeBehavior.DO_NOT_ENTER_TRANSFORM;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static org.apache.beam.sdk.transforms.CombineFnBase.GlobalCombineFn<Object, Object, Object> rawCombineFn(
            Combine.PerKey combine) {
        return combine.getFn();
    }

    @SuppressWarnings("unchecked")
    private static KvCoder<Object, Object> rawKv(KvCoder<?, ?> coder) {
        return (KvCoder<Object, Object>) coder;
    }

    @Override
    public void visitPrimitiveTransform(TransformHierarchy.Node node) {
        PTransform<?, ?> transform = node.getTransform();
        String name = node.getFullName();
        if (transform instanceof Impulse) {
            builder.source(name, onlyOutput(node), output -> new Head.Impulse(name, output), false);
        } else if (transform instanceof SplittableParDo.PrimitiveBoundedRead<?> read) {
            builder.source(name, onlyOutput(node), output -> new Head.Bounded(name, read.getSource(), output), false);
        } else if (transform instanceof SplittableParDo.PrimitiveUnboundedRead<?> read) {
            builder.source(name, onlyOutput(node), output -> new Head.Unbounded(name, read.getSource(), output), true);
        } else if (transform instanceof TestStream<?> events) {
            builder.source(name, onlyOutput(node), output -> new Head.Scripted(name, events, output), true);
        } else if (transform instanceof Flatten.PCollections) {
            builder.flatten(name, mainInputs(node), onlyOutput(node));
        } else if (transform instanceof Window.Assign<?> assign) {
            builder.assignWindows(name, onlyInput(node), onlyOutput(node), assign.getWindowFn());
        } else if (transform instanceof GroupByKey) {
            groupByKey(node);
        } else if (transform instanceof ParDo.MultiOutput<?, ?> parDo) {
            parDo(node, parDo);
        } else if (transform instanceof SplittableParDo.ProcessKeyedElements<?, ?, ?, ?> process) {
            splittable(node, process);
        } else if (transform instanceof View.CreatePCollectionView) {
            builder.alias(onlyInput(node), onlyOutput(node));
        } else if (transform instanceof MaterializedViews.Write<?, ?> write) {
            builder.materialize(name, onlyInput(node), write.view());
        } else if (transform instanceof External.ExpandableTransform) {
            problems.add(name
                    + ": a cross-language transform needs a portable runner, which this one is not; use the transform's"
                    + " Java form");
        } else {
            problems.add(name + ": "
                    + (transform == null ? "a root" : transform.getClass().getName())
                    + " is not a transform that this runner knows");
        }
    }

    private void groupByKey(TransformHierarchy.Node node) {
        PCollection<?> input = onlyInput(node);
        KvCoder<?, ?> kv = (KvCoder<?, ?>) input.getCoder();
        Translation.checkKeyCoder(node.getFullName(), kv.getKeyCoder(), problems);
        builder.groupByKey(node.getFullName(), input, onlyOutput(node), kv, input.getWindowingStrategy());
    }

    private void parDo(TransformHierarchy.Node node, ParDo.MultiOutput<?, ?> transform) {
        AppliedPTransform<?, ?, ?> applied = node.toAppliedPTransform(pipeline);
        DoFn<?, ?> fn = transform.getFn();
        DoFnSignature signature = DoFnSignatures.getSignature(fn.getClass());
        PCollection<?> input = (PCollection<?>) mainInputs(node).iterator().next();
        String name = node.getFullName();
        ParDoSpec spec = new ParDoSpec(
                name,
                fn,
                SerializableUtils.serializeToByteArray(fn),
                transform.getMainOutputTag(),
                transform.getAdditionalOutputTags().getAll(),
                outputs(node),
                input.getCoder(),
                coders(node),
                input.getWindowingStrategy(),
                ParDoTranslation.getSchemaInformation(applied),
                Map.copyOf(transform.getSideInputs()));
        boolean stateful = signature.usesState() || signature.usesTimers();
        if (stateful) {
            if (!(input.getCoder() instanceof KvCoder<?, ?> kv)) {
                problems.add(
                        name + ": a DoFn with state or timers needs KV elements, but the coder is " + input.getCoder());
                return;
            }
            Translation.checkKeyCoder(name, kv.getKeyCoder(), problems);
            if (input.getWindowingStrategy().needsMerge()) {
                problems.add(
                        name + ": state and timers in merging windows ("
                                + input.getWindowingStrategy().getWindowFn()
                                + ") are not supported by Beam's classic runners; apply Window.into a non-merging WindowFn first");
            }
            builder.statefulParDo(spec, input);
        } else {
            builder.parDo(spec, input);
        }
    }

    private void splittable(TransformHierarchy.Node node, SplittableParDo.ProcessKeyedElements<?, ?, ?, ?> process) {
        PCollection<?> input = (PCollection<?>) mainInputs(node).iterator().next();
        ParDoSpec spec = new ParDoSpec(
                node.getFullName(),
                process.getFn(),
                SerializableUtils.serializeToByteArray(process.getFn()),
                process.getMainOutputTag(),
                process.getAdditionalOutputTags().getAll(),
                outputs(node),
                input.getCoder(),
                coders(node),
                process.getInputWindowingStrategy(),
                org.apache.beam.sdk.transforms.DoFnSchemaInformation.create(),
                Map.copyOf(process.getSideInputMapping()));
        builder.splittable(spec, process, input);
    }

    private Map<TupleTag<?>, Integer> outputs(TransformHierarchy.Node node) {
        Map<TupleTag<?>, Integer> outputs = new HashMap<>();
        node.getOutputs().forEach((tag, collection) -> outputs.put(tag, builder.number(collection)));
        return Map.copyOf(outputs);
    }

    private static Map<TupleTag<?>, Coder<?>> coders(TransformHierarchy.Node node) {
        Map<TupleTag<?>, Coder<?>> coders = new HashMap<>();
        node.getOutputs().forEach((tag, collection) -> coders.put(tag, collection.getCoder()));
        return Map.copyOf(coders);
    }

    private Collection<? extends PValue> mainInputs(TransformHierarchy.Node node) {
        return TransformInputs.nonAdditionalInputs(node.toAppliedPTransform(pipeline));
    }

    private static PCollection<?> onlyInput(TransformHierarchy.Node node) {
        return only(node.getInputs(), "input", node);
    }

    private static PCollection<?> onlyOutput(TransformHierarchy.Node node) {
        return only(node.getOutputs(), "output", node);
    }

    private static PCollection<?> only(
            Map<TupleTag<?>, PCollection<?>> values, String what, TransformHierarchy.Node node) {
        @Nullable
        PCollection<?> value = values.size() == 1 ? values.values().iterator().next() : null;
        if (value == null) {
            throw new IllegalStateException(
                    node.getFullName() + " has " + values.size() + " " + what + "s where one is expected");
        }
        return value;
    }
}
