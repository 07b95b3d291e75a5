// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.runner.task.Inbound;
import dev.disagg.runner.task.Output;
import dev.disagg.runner.task.PaneWriter;
import dev.disagg.state.SharedRuns;
import java.util.ArrayList;
import java.util.List;

/** The channels between the tasks of a plan. */
final class Topology {
    private final StageGraph graph;
    private final boolean copy;
    private final SharedRuns runs;
    private final int smallPaneBytes;
    private final List<List<Inbound>> inbounds = new ArrayList<>();
    private final List<List<List<Edge>>> channelEdges = new ArrayList<>();

    /**
     * @param copy whether elements are copied between stages
     * @param runs where large panes of side inputs are written
     * @param smallPaneBytes up to which a pane is handed over by value
     */
    Topology(StageGraph graph, boolean copy, SharedRuns runs, int smallPaneBytes) {
        this.graph = graph;
        this.copy = copy;
        this.runs = runs;
        this.smallPaneBytes = smallPaneBytes;
        for (Stage stage : graph.stages()) {
            List<Inbound> ofStage = new ArrayList<>();
            List<List<Edge>> edgesOfStage = new ArrayList<>();
            for (int task = 0; task < stage.parallelism(); task++) {
                List<Edge> edges = new ArrayList<>();
                for (Edge edge : graph.into(stage.index())) {
                    int producers = graph.stages().get(edge.fromStage()).parallelism();
                    for (int producer = 0; producer < producers; producer++) {
                        if (leadsTo(edge, producer, task, stage.parallelism())) {
                            edges.add(edge);
                        }
                    }
                }
                ofStage.add(new Inbound(edges.size()));
                edgesOfStage.add(List.copyOf(edges));
            }
            inbounds.add(ofStage);
            channelEdges.add(edgesOfStage);
        }
    }

    private static boolean leadsTo(Edge edge, int producer, int task, int consumers) {
        return !(edge.exchange() instanceof Exchange.Forward) || producer % consumers == task;
    }

    Inbound inbound(int stage, int task) {
        return inbounds.get(stage).get(task);
    }

    /** Per channel of a task, its edge. */
    List<Edge> channelEdges(int stage, int task) {
        return channelEdges.get(stage).get(task);
    }

    /** The outputs of a task, in the order of the stage's edges. */
    List<Output> outputs(int stage, int task) {
        List<Output> outputs = new ArrayList<>();
        for (Edge edge : graph.outOf(stage)) {
            Stage to = graph.stages().get(edge.toStage());
            List<Output.Target> targets = new ArrayList<>();
            for (int consumer = 0; consumer < to.parallelism(); consumer++) {
                if (leadsTo(edge, task, consumer, to.parallelism())) {
                    targets.add(new Output.Target(inbound(to.index(), consumer), channel(edge, task, to, consumer)));
                }
            }
            int view = -1;
            PaneWriter panes = null;
            if (edge.exchange() instanceof Exchange.Broadcast broadcast) {
                view = to.views().indexOf(broadcast.view());
                panes = new PaneWriter(broadcast.view(), runs, smallPaneBytes);
            }
            outputs.add(new Output(edge, targets, view, panes, copy));
        }
        return outputs;
    }

    /** The number, at a consumer, of the channel from {@code producer} by {@code edge}. */
    private int channel(Edge edge, int producer, Stage to, int consumer) {
        int channel = 0;
        for (Edge before : graph.into(to.index())) {
            int producers = graph.stages().get(before.fromStage()).parallelism();
            for (int other = 0; other < producers; other++) {
                if (leadsTo(before, other, consumer, to.parallelism())) {
                    if (before.index() == edge.index() && other == producer) {
                        return channel;
                    }
                    channel++;
                }
            }
        }
        throw new IllegalStateException(
                "no channel of edge " + edge.index() + " from task " + producer + " to " + consumer);
    }
}
