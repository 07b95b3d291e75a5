// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Worker;
import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.runner.graph.Step;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.ufs.Failed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.sdk.values.TupleTag;
import org.jspecify.annotations.Nullable;

/**
 * The fused steps of a stage, once: what one computation runs through, never entered twice at once. Has its own bundle,
 * started by its first element or timer. Bound to one thread. One owner at a time.
 */
final class Chain {
    private final Worker worker;
    private final List<Node> nodes;
    private final @Nullable KeyedNode keyed;
    private final Receiver entry;
    private final InMemoryBundleFinalizer finalizer;
    private final boolean holds;
    private final boolean awaited;

    /** Keys that the open bundle has seen while there were other chains: kept, so that it is known who saw them last. */
    private final List<KeyEntry> seen = new ArrayList<>();

    private boolean open;
    private int elements;
    private long openedNanos;
    private long holdMillis = Long.MAX_VALUE;
    /** Whether something has entered since the last flush, and when the first did. */
    private boolean keeps;

    private long keptNanos;

    /** Set while a computation runs through, also while it is parked. */
    boolean inBody;
    /** The holds of the task when that computation began: its outputs are not earlier. */
    long floorMillis;
    /** When the open bundle was started, in the task's own count of entries into chains. */
    long openedAt;

    private Chain(
            Worker worker,
            List<Node> nodes,
            @Nullable KeyedNode keyed,
            Receiver entry,
            InMemoryBundleFinalizer finalizer) {
        this.worker = worker;
        this.nodes = List.copyOf(nodes);
        this.keyed = keyed;
        this.entry = entry;
        this.finalizer = finalizer;
        this.holds = nodes.stream().anyMatch(Node::outputsAtBundleEnd);
        this.awaited = nodes.stream().anyMatch(Node::isAwaited);
    }

    /** Makes the steps of {@code stage}, user code set up; on the thread of the worker. */
    static Chain of(Worker worker, Stage stage, Services services) {
        InMemoryBundleFinalizer finalizer = new InMemoryBundleFinalizer();
        Map<Integer, List<Receiver>> receivers = new HashMap<>();
        stage.produces()
                .forEach(collection -> receivers.put(collection, new ArrayList<>(services.outputs(collection))));
        List<Node> nodes = new ArrayList<>();
        try {
            List<Step> steps = stage.steps();
            for (int i = steps.size() - 1; i >= 0; i--) {
                Step step = steps.get(i);
                Node node = node(step, services, finalizer, receivers);
                nodes.add(0, node);
                receivers.computeIfAbsent(step.input(), c -> new ArrayList<>()).add(0, (Receiver) node);
            }
            KeyedNode keyed = null;
            Receiver entry = Receiver.NOWHERE;
            if (stage.head() instanceof Head.Keyed head) {
                keyed = KeyedNode.of(head, services, finalizer, outputsOf(head, receivers));
                nodes.add(0, keyed);
            } else {
                entry = Receiver.all(
                        receivers.getOrDefault(stage.head().outputs().iterator().next(), List.of()));
            }
            return new Chain(worker, nodes, keyed, entry, finalizer);
        } catch (RuntimeException | Error e) {
            tearDown(nodes, e);
            throw e;
        }
    }

    private static Node node(
            Step step, Services services, InMemoryBundleFinalizer finalizer, Map<Integer, List<Receiver>> receivers) {
        if (step instanceof Step.Do parDo) {
            return new DoNode(
                    parDo.parDo(), services, finalizer, byTag(parDo.parDo().outputs(), receivers));
        }
        if (step instanceof Step.AssignWindows assign) {
            return new WindowNode(assign.name(), assign.windowFn(), to(assign.output(), receivers));
        }
        Step.Lift lift = (Step.Lift) step;
        return new LiftNode(lift, to(lift.output(), receivers), services);
    }

    private static Map<TupleTag<?>, Receiver> outputsOf(Head.Keyed head, Map<Integer, List<Receiver>> receivers) {
        if (head instanceof Head.Stateful stateful) {
            return byTag(stateful.parDo().outputs(), receivers);
        }
        if (head instanceof Head.Splittable splittable) {
            return byTag(splittable.parDo().outputs(), receivers);
        }
        return Map.of(KeyedNode.MAIN, to(head.outputs().iterator().next(), receivers));
    }

    private static Map<TupleTag<?>, Receiver> byTag(
            Map<TupleTag<?>, Integer> outputs, Map<Integer, List<Receiver>> receivers) {
        Map<TupleTag<?>, Receiver> byTag = new HashMap<>();
        outputs.forEach((tag, collection) -> byTag.put(tag, to(collection, receivers)));
        return byTag;
    }

    private static Receiver to(int collection, Map<Integer, List<Receiver>> receivers) {
        return Receiver.all(receivers.getOrDefault(collection, List.of()));
    }

    /** On whose thread the user code of this chain runs, and no other. */
    Worker worker() {
        return worker;
    }

    /** Keeps a key that the open bundle has seen until the bundle ends. */
    void keep(KeyEntry entry) {
        entry.keep();
        seen.add(entry);
    }

    /** The way in for elements of a straight stage. */
    Receiver entry() {
        return entry;
    }

    KeyedNode keyed() {
        KeyedNode node = keyed;
        if (node == null) {
            throw new IllegalStateException("this stage has no keyed step");
        }
        return node;
    }

    /** Something with this timestamp is about to enter: starts a bundle if none is open. */
    void enter(long timestampMillis, TaskHost host) {
        if (!open || !keeps) {
            enterFirst(host.nanoTime());
        }
        elements++;
        holdMillis = Math.min(holdMillis, timestampMillis);
    }

    /** The clock is read once per bundle and flush: reading it costs as much as a small step. */
    private void enterFirst(long nowNanos) {
        if (!open) {
            open = true;
            elements = 0;
            openedNanos = nowNanos;
            holdMillis = Long.MAX_VALUE;
            nodes.forEach(Node::startBundle);
        }
        if (!keeps) {
            keeps = true;
            keptNanos = nowNanos;
        }
    }

    boolean isOpen() {
        return open;
    }

    /** Whether the open bundle has as many elements and timers as it may. */
    boolean isFull(int maxElements) {
        return open && elements >= maxElements;
    }

    /** Whether the open bundle has reached one of its bounds. */
    boolean isFull(int maxElements, long maxNanos, long nowNanos) {
        return open && (elements >= maxElements || nowNanos - openedNanos >= maxNanos);
    }

    /** The watermark that the open bundle holds; {@link Long#MAX_VALUE} for none. */
    long holdMillis() {
        return open && holds ? holdMillis : Long.MAX_VALUE;
    }

    /** Whether steps may have kept back for this long what somebody waits for. */
    boolean keepsFor(long nanos, long nowNanos) {
        return awaited && keeps && nowNanos - keptNanos >= nanos;
    }

    /** Outputs what steps keep back between bundles. */
    void flush() {
        keeps = false;
        nodes.forEach(Node::flush);
    }

    /** Finishes the open bundle, if any. */
    List<InMemoryBundleFinalizer.Finalization> finishBundle() {
        if (!open) {
            return List.of();
        }
        for (Node node : nodes) {
            node.finishBundle();
        }
        open = false;
        seen.forEach(KeyEntry::unkeep);
        seen.clear();
        return finalizer.getAndClearFinalizations();
    }

    void teardown() {
        tearDown(nodes, null);
    }

    /** Tears all down, whatever fails; a failure joins {@code cause}, or is thrown when there is none. */
    private static void tearDown(List<Node> nodes, @Nullable Throwable cause) {
        List<Throwable> failures = new ArrayList<>();
        for (Node node : nodes) {
            try {
                node.teardown();
            } catch (RuntimeException | Error e) {
                failures.add(e);
            }
        }
        if (cause != null) {
            failures.forEach(cause::addSuppressed);
        } else if (!failures.isEmpty()) {
            Failed failed = new Failed(
                    "a step could not be torn down: " + failures.get(0).getMessage(), failures.get(0));
            failures.subList(1, failures.size()).forEach(failed::addSuppressed);
            throw failed;
        }
    }
}
