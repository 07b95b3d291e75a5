// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** Renumbers stages topologically: side inputs are connected after the stages that read them were numbered. */
final class Order {
    private final int stages;
    private final List<StageGraph.Edge> edges;

    Order(int stages, List<StageGraph.Edge> edges) {
        this.stages = stages;
        this.edges = edges;
    }

    interface StageAt {
        StageGraph.Stage make(int oldIndex, int newIndex);
    }

    StageGraph graph(StageAt make, boolean unbounded) {
        int[] waiting = new int[stages];
        edges.forEach(edge -> waiting[edge.toStage()]++);
        PriorityQueue<Integer> ready = new PriorityQueue<>();
        for (int i = 0; i < stages; i++) {
            if (waiting[i] == 0) {
                ready.add(i);
            }
        }
        int[] newIndex = new int[stages];
        List<StageGraph.Stage> ordered = new ArrayList<>();
        while (!ready.isEmpty()) {
            int old = ready.poll();
            newIndex[old] = ordered.size();
            ordered.add(make.make(old, ordered.size()));
            for (StageGraph.Edge edge : edges) {
                if (edge.fromStage() == old && --waiting[edge.toStage()] == 0) {
                    ready.add(edge.toStage());
                }
            }
        }
        if (ordered.size() != stages) {
            throw new IllegalStateException("fusion made a cycle of stages: " + edges);
        }
        List<StageGraph.Edge> renumbered = edges.stream()
                .map(edge -> new StageGraph.Edge(
                        edge.index(),
                        newIndex[edge.fromStage()],
                        edge.collection(),
                        newIndex[edge.toStage()],
                        edge.exchange(),
                        edge.coder()))
                .toList();
        return new StageGraph(ordered, renumbered, unbounded);
    }
}
