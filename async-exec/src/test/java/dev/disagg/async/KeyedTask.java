// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import dev.disagg.async.KeyedProgram.Barrier;
import dev.disagg.async.KeyedProgram.Element;
import dev.disagg.async.KeyedProgram.Item;
import dev.disagg.async.KeyedProgram.Watermark;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A keyed program as the owner of a task would run it: state that is resident or not, timers fired from the key's own
 * row, scans that wake keys, drains. Checks as it goes what must hold at every moment. All fields are the leader's.
 */
final class KeyedTask implements Duty {
    final KeyedProgram program;
    final World world;
    final AsyncTask task;
    final List<Key> keys = new ArrayList<>();
    private final List<Watermark> released = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    int bodies;
    int drains;
    int derivedAdmitted;
    int derivedDone;
    private int next;
    private int arrived;
    private boolean arrivalPending;
    private long inputWatermark = Long.MIN_VALUE;
    private boolean inBody;
    private boolean atRest;
    int workersStarted;
    int workersStopped;
    /** Thrown by the body with this number, for tests of failure. */
    int failAtBody = -1;
    /** The read with this number, of those that wait, fails; for tests of failure. */
    int failAtRead = -1;

    int reads;
    int errands;
    private final List<Worker> workers = new ArrayList<>();
    private final Set<Worker> inside = new HashSet<>();

    KeyedTask(KeyedProgram program, World world) {
        this.program = program;
        this.world = world;
        AsyncOptions options = AsyncOptions.defaults(world.threads(), world::nanoTime)
                .withMaxInFlight(program.maxInFlight)
                .withMaxParked(program.maxParked)
                .withMaxOpenEpochs(program.maxOpenEpochs)
                .withHandOver(program.handOver)
                .withWatchdog(0, "none");
        task = new AsyncTask("program", this, options);
        for (int key = 0; key < program.keys; key++) {
            keys.add(new Key(key));
        }
    }

    /** A key with its slot, as an owner keeps it in its cache. */
    final class Key extends KeyMachine {
        final KeySlot slot = new KeySlot();
        final KeySlot derivedSlot = new KeySlot();

        @Nullable
        Body running;

        Key(int key) {
            super(key);
        }

        @Override
        long read(int cell) {
            task.checkFailed();
            Body reader = running;
            if (world.random().nextInt(100) < program.residentPercent) {
                return cells[cell];
            }
            CompletableFuture<Long> value = new CompletableFuture<>();
            inBody = false;
            // The value is what the store holds when the read completes: a second computation in the key would show.
            boolean fails = ++reads == failAtRead;
            world.after(latency(), () -> {
                if (fails) {
                    value.completeExceptionally(new IllegalStateException("as the test wants it"));
                } else {
                    value.complete(cells[cell]);
                }
            });
            long read = task.await(value);
            check(!inBody, "two bodies at once");
            inBody = true;
            check(task.current() == reader, "another computation is current after a wait");
            check(running == reader, "another computation ran in the key during a wait");
            return read;
        }
    }

    /** A body in its key, checked for being alone. */
    abstract class Body extends Computation {
        final Key key;
        private int rounds;

        Body(Key key) {
            this.key = key;
        }

        @Override
        protected boolean prepare() {
            check(!inBody, "prepare inside a body");
            if (rounds < program.maxRounds && world.random().nextInt(100) >= program.residentPercent) {
                rounds++;
                world.after(latency(), () -> task.ready(this));
                return false;
            }
            return true;
        }

        @Override
        protected final void run() {
            check(!inBody, "a body inside a body");
            check(!atRest, "a body runs after the drain");
            check(key.running == null, "two computations in one key");
            check(task.current() == this, "the running computation is not current");
            Worker worker = task.currentWorker();
            inBody = true;
            key.running = this;
            inside.add(worker);
            bodies++;
            try {
                if (bodies == failAtBody) {
                    throw new IllegalStateException("as the test wants it");
                }
                body();
            } finally {
                key.running = null;
                inBody = false;
                inside.remove(worker);
            }
        }

        abstract void body();

        /** A scan that comes by while this body fires timers finds none left, so their epoch must be held. */
        final void fireEarlier() {
            for (Epoch epoch = task.oldestEpoch(); epoch != null && epoch != epoch(); epoch = epoch.next()) {
                if (key.earliestTimestamp() < sealedBy(epoch)) {
                    task.holdEpoch(epoch);
                    return;
                }
            }
        }

        /** A timer due by a watermark that is sealed already would be missed by its scan, which may be past this key. */
        final void fireLater() {
            for (Epoch epoch = epoch(); epoch != null && epoch.state() == Epoch.State.CLOSED; epoch = epoch.next()) {
                if (key.earliestTimestamp() < sealedBy(epoch)) {
                    task.admitTo(epoch, key.slot, new Firing(key));
                    return;
                }
            }
        }
    }

    final class ElementBody extends Body {
        private final Element element;
        private final long watermark;

        ElementBody(Key key, Element element, long watermark) {
            super(key);
            this.element = element;
            this.watermark = watermark;
        }

        @Override
        void body() {
            fireEarlier();
            key.fireDue(program.seed, watermark);
            key.element(program.seed, element.number(), element.timestamp());
            key.fireDue(program.seed, watermark);
            fireLater();
            if (program.derives) {
                derivedAdmitted++;
                Key receiver = keys.get(program.derivedKey(element));
                task.admit(receiver.derivedSlot, new Derived(receiver, element.number(), epoch()));
            }
        }

        @Override
        protected String describe() {
            return "element " + element.number() + " of key " + key.key;
        }
    }

    final class Firing extends Body {
        Firing(Key key) {
            super(key);
        }

        @Override
        void body() {
            key.fireDue(program.seed, sealedBy(epoch()));
            fireLater();
        }

        @Override
        protected String describe() {
            return "timers of key " + key.key;
        }
    }

    /** Adds to another key, with a wait between the read and the write. */
    final class Derived extends Computation {
        private final Key receiver;
        private final long number;
        private final Epoch parent;

        Derived(Key receiver, long number, Epoch parent) {
            this.receiver = receiver;
            this.number = number;
            this.parent = parent;
        }

        @Override
        protected boolean prepare() {
            return true;
        }

        @Override
        protected void run() {
            check(epoch() == parent, "derived work left its parent's epoch");
            check(!atRest, "derived work runs after the drain");
            Worker worker = task.currentWorker();
            inside.add(worker);
            try {
                long before = receiver.received;
                if (world.random().nextInt(100) >= program.residentPercent) {
                    CompletableFuture<Long> value = new CompletableFuture<>();
                    world.after(latency(), () -> value.complete(before));
                    task.await(value);
                }
                receiver.received = before + number;
                receiver.receivedCount++;
                derivedDone++;
            } finally {
                inside.remove(worker);
            }
        }

        @Override
        protected String describe() {
            return "derived work of key " + receiver.key;
        }
    }

    /** Outside of computations: every worker that no body is on runs something on its own thread, and nobody else does. */
    private void errands() {
        for (Worker worker : List.copyOf(workers)) {
            if (inside.contains(worker)) {
                continue;
            }
            Worker self = task.currentWorker();
            boolean[] ran = new boolean[1];
            task.runOn(worker, () -> {
                check(worker.attachment() == Thread.currentThread(), "an errand on another thread");
                check(task.currentWorker() == worker && task.isLeader(), "an errand of one that does not lead");
                check(!inBody, "an errand inside a body");
                ran[0] = true;
            });
            check(ran[0] && task.currentWorker() == self && task.isLeader(), "an errand that did not come back");
            errands++;
        }
    }

    @Override
    public int poll() {
        check(!atRest, "input is taken after the drain");
        if (world.random().nextInt(100) < program.errandPercent) {
            errands();
        }
        int taken = 0;
        while (taken < program.batch && next < arrived) {
            Item item = program.items.get(next);
            if (item instanceof Element element) {
                Key key = keys.get(element.key());
                task.admit(key.slot, new ElementBody(key, element, inputWatermark));
            } else if (item instanceof Watermark watermark) {
                if (!task.canSeal()) {
                    return taken;
                }
                inputWatermark = watermark.time();
                Scan scan = new Scan(watermark);
                scan.epoch = task.seal(watermark, scan);
            } else if (item instanceof Barrier) {
                next++;
                task.requestDrain();
                return taken;
            }
            next++;
            taken++;
        }
        if (next == arrived && arrived < program.items.size() && !arrivalPending) {
            arrivalPending = true;
            int more =
                    Math.min(program.items.size(), arrived + 1 + world.random().nextInt(10));
            world.after(
                    latency(),
                    () -> task.execute(() -> {
                        arrivalPending = false;
                        arrived = more;
                    }));
        }
        return taken;
    }

    /** One key a step, sometimes with a read in between. */
    private final class Scan implements EpochScan {
        private final Watermark watermark;
        private int at;
        private boolean waited;

        @Nullable
        Epoch epoch;

        Scan(Watermark watermark) {
            this.watermark = watermark;
        }

        @Override
        public Step step() {
            check(!atRest, "a scan after the drain");
            if (at == keys.size()) {
                return Step.EXHAUSTED;
            }
            if (!waited && world.random().nextInt(100) >= program.residentPercent) {
                waited = true;
                world.after(latency(), task::scanReady);
                return Step.WAITING;
            }
            waited = false;
            Key key = keys.get(at++);
            if (key.earliestTimestamp() < watermark.time()) {
                task.admitTo(epoch, key.slot, new Firing(key));
            }
            return Step.MORE;
        }
    }

    @Override
    public void released(Epoch epoch) {
        check(epoch.state() == Epoch.State.FINISHED, "released before it is finished");
        Watermark watermark = (Watermark) epoch.attachment();
        check(released.isEmpty() || released.get(released.size() - 1).index() < watermark.index(), "released twice");
        int[] atLeast = program.seenByWatermark.get(watermark.index());
        int[] received = program.receivedByWatermark.get(watermark.index());
        for (Key key : keys) {
            check(
                    key.receivedCount >= received[key.key],
                    watermark + " is early for what key " + key.key + " receives");
            check(key.log.size() >= atLeast[key.key], "watermark " + watermark + " is early for key " + key.key);
        }
        released.add(watermark);
        if (watermark.time() == Long.MAX_VALUE) {
            task.shutdown();
        }
    }

    @Override
    public void drained() {
        AsyncMetrics metrics = task.metrics();
        check(metrics.inFlight() == 0 && metrics.parked() == 0 && metrics.fetching() == 0, "not drained: " + metrics);
        check(metrics.blocked() == 0 && metrics.callbacksWaiting() == 0, "not drained: " + metrics);
        // What is not fired yet is in the snapshot with the watermark, and fires after a restore.
        List<String> atBarrier = program.stateAtBarrier.get(drains);
        for (Key key : keys) {
            KeyMachine restored = key.copy();
            restored.fireDue(program.seed, inputWatermark);
            check(
                    restored.state().equals(atBarrier.get(key.key)),
                    "snapshot " + drains + " of key " + key.key + ": " + restored.state() + " and not "
                            + atBarrier.get(key.key));
        }
        if (program.errandPercent > 0) {
            errands();
        }
        drains++;
        atRest = true;
        world.after(
                latency(),
                () -> task.execute(() -> {
                    atRest = false;
                    task.resumeInput();
                }));
    }

    @Override
    public long idle() {
        return world.random().nextInt(10) == 0 ? latency() : Long.MAX_VALUE;
    }

    @Override
    public @Nullable Object workerStarted(Worker worker) {
        workersStarted++;
        workers.add(worker);
        return Thread.currentThread();
    }

    @Override
    public void workerStopped(Worker worker, @Nullable Object attachment) {
        check(attachment == Thread.currentThread(), "a worker is stopped on another thread");
        workers.remove(worker);
        workersStopped++;
    }

    @Override
    public void failed(Throwable cause) {
        failures.add(cause);
    }

    Watermark lastReleased() {
        return released.get(released.size() - 1);
    }

    private long latency() {
        return 1 + world.random().nextInt(program.maxLatencyNanos);
    }

    private static long sealedBy(Epoch epoch) {
        return ((Watermark) epoch.attachment()).time();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
