// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.values.WindowedValue;

/**
 * The plan of a pipeline: stages in topological order, and the exchanges between them. Collections are numbered; a
 * collection is produced by one stage. Immutable.
 *
 * @param stages by index
 * @param edges by index
 * @param unbounded whether any source never ends by itself
 */
public record StageGraph(List<Stage> stages, List<Edge> edges, boolean unbounded) {
    public StageGraph {
        stages = List.copyOf(stages);
        edges = List.copyOf(edges);
    }

    /** Edges into a stage, in their order. */
    public List<Edge> into(int stage) {
        return edges.stream().filter(edge -> edge.toStage() == stage).toList();
    }

    /** Edges out of a stage, in their order. */
    public List<Edge> outOf(int stage) {
        return edges.stream().filter(edge -> edge.fromStage() == stage).toList();
    }

    /**
     * A chain of transforms that elements pass without an exchange.
     *
     * @param id stable over runs of the same pipeline: the full name of its first transform
     * @param head how elements come in
     * @param steps what they pass, in topological order
     * @param views side inputs that arrive by broadcast
     * @param parallelism number of tasks
     * @param stableInput whether elements may go in only once a checkpoint contains them
     */
    public record Stage(
            int index, String id, Head head, List<Step> steps, List<View> views, int parallelism, boolean stableInput) {
        public Stage {
            steps = List.copyOf(steps);
            views = List.copyOf(views);
        }

        public boolean keyed() {
            return head instanceof Head.Keyed;
        }

        public boolean source() {
            return head instanceof Head.Source;
        }

        /** Whether its tasks keep state: keyed state, source positions, or elements that wait. */
        public boolean stateful() {
            return keyed() || source() || !views.isEmpty() || stableInput;
        }

        /** All transforms in this stage, by full name. */
        public List<String> transforms() {
            return Stream.concat(Stream.of(head.name()), steps.stream().map(Step::name))
                    .filter(name -> !name.isEmpty())
                    .toList();
        }

        /** The collections that its head and steps produce. */
        public Set<Integer> produces() {
            return Stream.concat(head.outputs().stream(), steps.stream().flatMap(step -> step.outputs().stream()))
                    .collect(Collectors.toUnmodifiableSet());
        }
    }

    /**
     * A way from a stage to the next.
     *
     * @param collection what travels
     * @param coder of what travels, for when it is stored or copied
     */
    public record Edge(
            int index,
            int fromStage,
            int collection,
            int toStage,
            Exchange exchange,
            Coder<WindowedValue<Object>> coder) {}
}
