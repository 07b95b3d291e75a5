// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Text forms of a plan: for people, and for saying what differs from the plan that a checkpoint was made by. */
public final class Explain {
    private Explain() {}

    /** One block per stage: how elements come in, what they pass, where they go. */
    public static String text(StageGraph graph) {
        StringBuilder out = new StringBuilder();
        for (StageGraph.Stage stage : graph.stages()) {
            out.append("stage ")
                    .append(stage.index())
                    .append(" x")
                    .append(stage.parallelism())
                    .append("  ")
                    .append(kind(stage.head()))
                    .append(stage.stableInput() ? ", stable input" : "")
                    .append('\n');
            for (StageGraph.Edge edge : graph.into(stage.index())) {
                out.append("    <- stage ")
                        .append(edge.fromStage())
                        .append(" (")
                        .append(edge.exchange().label())
                        .append(")\n");
            }
            for (String transform : stage.transforms()) {
                out.append("    ").append(transform).append('\n');
            }
        }
        return out.toString();
    }

    /**
     * What must be the same for a checkpoint to be restored: stages, coders of what is stored and state cells, by name.
     *
     * @return per name of a thing, its description
     */
    public static Map<String, String> identity(StageGraph graph) {
        Map<String, String> identity = new TreeMap<>();
        for (StageGraph.Stage stage : graph.stages()) {
            if (!stage.stateful()) {
                continue;
            }
            identity.put("stage " + stage.id(), kind(stage.head()));
            if (stage.head() instanceof Head.Keyed keyed) {
                identity.put("key coder of " + stage.id(), CellText.coder(keyed.keyCoder()));
            }
            if (stage.head() instanceof Head.Group group) {
                identity.put(
                        "value coder of " + stage.id(),
                        CellText.coder(group.inputCoder().getValueCoder()));
            } else if (stage.head() instanceof Head.Combine combine) {
                identity.put(
                        "accumulator coder of " + stage.id(),
                        CellText.coder(combine.combine().getAccumulatorCoder()));
            } else if (stage.head() instanceof Head.Stateful stateful) {
                CellText.cells(stateful.parDo().fn())
                        .forEach((id, cell) -> identity.put("state cell " + id + " of " + stage.id(), cell));
            }
        }
        return identity;
    }

    /** The differences between two identities, one line each; empty when a checkpoint of {@code before} fits {@code now}. */
    public static List<String> differences(Map<String, String> before, Map<String, String> now) {
        List<String> differences = new ArrayList<>();
        before.forEach((name, description) -> {
            String other = now.get(name);
            if (other == null) {
                differences.add(name + ": in the checkpoint (" + description + "), not in this pipeline");
            } else if (!other.equals(description)) {
                differences.add(name + ": " + description + " in the checkpoint, " + other + " in this pipeline");
            }
        });
        now.forEach((name, description) -> {
            if (!before.containsKey(name)) {
                differences.add(name + ": in this pipeline (" + description + "), not in the checkpoint");
            }
        });
        return differences;
    }

    private static String kind(Head head) {
        if (head instanceof Head.Keyed) {
            return head instanceof Head.Group
                    ? "group by key"
                    : head instanceof Head.Combine combine
                            ? combine.lifted() ? "combine per key, lifted" : "combine per key"
                            : head instanceof Head.Splittable ? "splittable" : "stateful";
        }
        if (head instanceof Head.Source) {
            return head instanceof Head.Impulse
                    ? "impulse"
                    : head instanceof Head.Bounded
                            ? "bounded source"
                            : head instanceof Head.Unbounded
                                    ? "unbounded source"
                                    : head instanceof Head.Scripted ? "test stream" : "empty";
        }
        return "straight";
    }
}
