// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.sim;

import static java.util.Objects.requireNonNull;

import dev.disagg.async.WorkerThreads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on real threads of which exactly one is runnable at a time; a seed decides who goes on wherever a thread
 * parks, unparks another, or comes to {@link WorkerThreads#interleave}. Time is virtual and moves when an event is taken.
 *
 * <p>The thread that calls {@link #run} drives. Events ({@link #after}) stand for the world outside, such as a read that
 * completes; they run on threads of their own, so that they interleave with the task step by step like everything else.
 *
 * <p>In an <em>unruly</em> simulation an event may be taken although threads could run, as if those were slow: this finds
 * races. In an <em>orderly</em> one time stands still while any thread can run: this measures latencies.
 *
 * <p>Code under simulation must wait only through {@link #threads()}; one that blocks otherwise is found after some
 * seconds. State of this class is touched only by whoever holds the token.
 */
public final class Simulation implements AutoCloseable {
    private static final int OUTSIDE_THREADS = 2;
    /** Of choices where both threads and an event could be next, one in this many takes the event. */
    private static final int EVENT_ONE_IN = 6;
    /** One in this many interleave points really switches. */
    private static final int SWITCH_ONE_IN = 2;

    private static final long REAL_STALL_NANOS = 30_000_000_000L;

    private record Timed(long atNanos, long order, Runnable action, boolean outside) {}

    private final long seed;
    private final boolean orderly;
    private final SplittableRandom random;
    private final Threads threads = new Threads();
    private final PriorityQueue<Timed> timed =
            new PriorityQueue<>(Comparator.comparingLong(Timed::atNanos).thenComparingLong(Timed::order));
    private final List<SimulatedThread> runnable = new ArrayList<>();
    private final Map<Thread, SimulatedThread> byThread = new HashMap<>();
    private final List<OutsideThread> outside = new ArrayList<>();
    private final SimulatedThread driver = new SimulatedThread("driver");
    private SimulatedThread holder = driver;
    private long nowNanos;
    private long order;
    private long steps;
    private int refusePercent;
    private @Nullable Throwable failure;

    private Simulation(long seed, boolean orderly) {
        this.seed = seed;
        this.orderly = orderly;
        this.random = new SplittableRandom(seed);
        driver.runsOn(Thread.currentThread());
        for (int i = 0; i < OUTSIDE_THREADS; i++) {
            outside.add(new OutsideThread("outside-" + i));
        }
    }

    /** A simulation in which events overtake slow threads. The calling thread is the driver. */
    public static Simulation unruly(long seed) {
        return new Simulation(seed, false);
    }

    /** A simulation in which computing takes no time. The calling thread is the driver. */
    public static Simulation orderly(long seed) {
        return new Simulation(seed, true);
    }

    /** What to give to the task. */
    public WorkerThreads threads() {
        return threads;
    }

    /** Virtual time in nanoseconds, from 0. */
    public long nanoTime() {
        return nowNanos;
    }

    /** The source of all choices; drawing from it is part of the run. */
    public RandomGenerator random() {
        return random;
    }

    /** Choices made so far: equal for equal runs. */
    public long steps() {
        return steps;
    }

    /** Threads of tasks that have been started and have not ended. */
    public int liveThreads() {
        return byThread.size() - outside.size();
    }

    /** From now on this share of thread starts is refused; those before are not touched. */
    public void refuseThreads(int percent) {
        refusePercent = percent;
    }

    /** Runs this on an outside thread, at a time from now. What it throws ends the run. */
    public void after(long nanos, Runnable event) {
        timed.add(new Timed(nowNanos + Math.max(0, nanos), order++, requireNonNull(event, "event is null"), true));
    }

    /** Drives until the condition holds; it is looked at between steps.
     *
     * @throws AssertionError when nothing can go on, or after so many steps, or when a thread stands still in reality
     */
    public void run(BooleanSupplier until, long maxSteps) {
        long last = steps + maxSteps;
        while (!until.getAsBoolean()) {
            if (failure != null) {
                throw new AssertionError(describe("an event failed"), failure);
            }
            if (steps++ > last) {
                throw new AssertionError(describe("no end after " + maxSteps + " steps"));
            }
            drive();
        }
    }

    /** Ends the outside threads. Tasks must have ended before. */
    @Override
    public void close() {
        for (OutsideThread thread : outside) {
            thread.ended = true;
            wake(thread.simulated);
        }
        int left = OUTSIDE_THREADS * 8;
        while (!runnable.isEmpty() && left-- > 0) {
            handTo(runnable.get(0));
        }
    }

    private void drive() {
        Timed next = timed.peek();
        boolean canDispatch = next != null && (!next.outside || idleOutside() != null);
        boolean threadsFirst = !runnable.isEmpty() && (orderly || random.nextInt(EVENT_ONE_IN) != 0);
        if (threadsFirst || !canDispatch) {
            if (runnable.isEmpty()) {
                throw new AssertionError(describe("nothing can go on"));
            }
            handTo(pick());
            return;
        }
        Timed taken = requireNonNull(timed.poll(), "peeked before");
        nowNanos = Math.max(nowNanos, taken.atNanos);
        if (taken.outside) {
            OutsideThread thread = requireNonNull(idleOutside(), "looked for before");
            thread.assigned = taken.action;
            wake(thread.simulated);
        } else {
            taken.action.run();
        }
    }

    private @Nullable OutsideThread idleOutside() {
        for (OutsideThread thread : outside) {
            if (thread.assigned == null) {
                return thread;
            }
        }
        return null;
    }

    private SimulatedThread pick() {
        return runnable.get(random.nextInt(runnable.size()));
    }

    /** The driver gives the token away and waits until it comes back. */
    private void handTo(SimulatedThread next) {
        holder = next;
        next.giveToken();
        if (!driver.awaitToken(REAL_STALL_NANOS)) {
            StringBuilder text = new StringBuilder("a thread blocks outside of the simulation: " + holder);
            Thread thread = holder.thread();
            if (thread != null) {
                for (StackTraceElement frame : thread.getStackTrace()) {
                    text.append("\n    at ").append(frame);
                }
            }
            throw new AssertionError(describe(text.toString()));
        }
    }

    /** A simulated thread that can go on, or not, lets the seed choose who does. */
    private void yieldFrom(SimulatedThread self) {
        steps++;
        SimulatedThread next = runnable.isEmpty() || random.nextInt(EVENT_ONE_IN) == 0 ? driver : pick();
        if (next == self) {
            return;
        }
        holder = next;
        next.giveToken();
        self.awaitToken();
    }

    private void wake(SimulatedThread thread) {
        if (thread.parked) {
            thread.parked = false;
            runnable.add(thread);
        } else {
            thread.permit = true;
        }
    }

    private @Nullable SimulatedThread self() {
        return byThread.get(Thread.currentThread());
    }

    private SimulatedThread startThread(String name, Runnable body) {
        SimulatedThread simulated = new SimulatedThread(name);
        Thread thread = new Thread(
                () -> {
                    simulated.awaitToken();
                    try {
                        body.run();
                    } catch (Throwable t) {
                        failure = t;
                    } finally {
                        runnable.remove(simulated);
                        byThread.remove(Thread.currentThread());
                        holder = driver;
                        driver.giveToken();
                    }
                },
                name);
        thread.setDaemon(true);
        simulated.runsOn(thread);
        byThread.put(thread, simulated);
        runnable.add(simulated);
        thread.start();
        return simulated;
    }

    private String describe(String what) {
        return what + " (seed " + seed + ", step " + steps + ", time " + nowNanos + " ns, " + timed.size()
                + " events to come, threads " + byThread.values() + ")";
    }

    /** The threads of the world outside. */
    private final class OutsideThread {
        final SimulatedThread simulated;

        @Nullable
        Runnable assigned;

        boolean ended;

        OutsideThread(String name) {
            simulated = startThread(name, this::serve);
        }

        private void serve() {
            while (!ended) {
                Runnable event = assigned;
                if (event == null) {
                    threads.park(Long.MAX_VALUE);
                    continue;
                }
                try {
                    event.run();
                } catch (Throwable t) {
                    failure = t;
                }
                assigned = null;
            }
        }
    }

    private final class Threads implements WorkerThreads {
        @Override
        public Thread start(String name, Runnable body) {
            if (refusePercent > 0 && random.nextInt(100) < refusePercent) {
                throw new IllegalStateException("the simulation refuses to start " + name);
            }
            return requireNonNull(startThread(name, body).thread(), "a started thread");
        }

        @Override
        public void park(long nanos) {
            SimulatedThread self = requireNonNull(self(), "only threads of the simulation can park in it");
            if (self.permit) {
                self.permit = false;
                yieldFrom(self);
                return;
            }
            self.parked = true;
            long park = ++self.parks;
            runnable.remove(self);
            if (nanos != Long.MAX_VALUE) {
                timed.add(new Timed(
                        nowNanos + nanos,
                        order++,
                        () -> {
                            if (self.parks == park && self.parked) {
                                wake(self);
                            }
                        },
                        false));
            }
            yieldFrom(self);
        }

        @Override
        public void unpark(Thread thread) {
            SimulatedThread target = byThread.get(thread);
            if (target != null) {
                wake(target);
            }
            interleave();
        }

        @Override
        public void interleave() {
            SimulatedThread self = self();
            if (self != null && self == holder && random.nextInt(SWITCH_ONE_IN) == 0) {
                yieldFrom(self);
            }
        }
    }
}
