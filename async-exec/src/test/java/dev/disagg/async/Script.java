// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import dev.disagg.async.sim.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A task whose input is a list of steps, in a simulation; one step a poll. Everything that happens is noted in order. */
final class Script implements Duty, AutoCloseable {
    static final long MAX_STEPS = 2_000_000;

    final Simulation simulation;
    final AsyncTask task;
    final List<String> events = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    final List<String> stuck = new ArrayList<>();
    private final Deque<Runnable> input = new ArrayDeque<>();
    int workersStarted;
    int workersStopped;

    private Script(Simulation simulation, UnaryOperator<AsyncOptions> options) {
        this.simulation = simulation;
        task = new AsyncTask(
                "script",
                this,
                options.apply(AsyncOptions.defaults(simulation.threads(), simulation::nanoTime)
                        .withWatchdog(0, "none")));
    }

    static Script unruly(long seed) {
        return new Script(Simulation.unruly(seed), options -> options);
    }

    static Script unruly(long seed, UnaryOperator<AsyncOptions> options) {
        return new Script(Simulation.unruly(seed), options);
    }

    static Script orderly(UnaryOperator<AsyncOptions> options) {
        return new Script(Simulation.orderly(1), options);
    }

    /** A step of input: the leader runs it in a poll. */
    Script input(Runnable step) {
        input.add(step);
        return this;
    }

    /** Runs the input and all that it leads to, then ends the task. */
    Script runToEnd() {
        input.add(task::shutdown);
        task.start();
        return runUntilTerminated();
    }

    Script runUntilTerminated() {
        simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
        return this;
    }

    void note(String event) {
        events.add(event);
    }

    /** Notes its name when it runs, then does something; its state is resident. */
    Computation resident(String name, Runnable body) {
        return new Scripted(name, 0, body);
    }

    /** Notes its name when it runs, after fetching its state for so long. */
    Computation fetched(String name, long latencyNanos, Runnable body) {
        return new Scripted(name, latencyNanos, body);
    }

    /** As a call that waits for something outside of the task: only the simulation can end it, an interrupt cannot. */
    void block(BooleanSupplier until) {
        while (!until.getAsBoolean()) {
            simulation.threads().park(Long.MAX_VALUE);
            Thread.interrupted();
        }
    }

    /** In a body: waits for a value that takes so long. */
    void read(long latencyNanos) {
        CompletableFuture<Long> value = new CompletableFuture<>();
        simulation.after(latencyNanos, () -> value.complete(1L));
        task.await(value);
    }

    private final class Scripted extends Computation {
        private final String name;
        private final long latencyNanos;
        private final Runnable body;
        private boolean asked;

        Scripted(String name, long latencyNanos, Runnable body) {
            this.name = name;
            this.latencyNanos = latencyNanos;
            this.body = body;
        }

        @Override
        protected boolean prepare() {
            if (latencyNanos == 0 || asked) {
                return true;
            }
            asked = true;
            simulation.after(latencyNanos, () -> task.ready(this));
            return false;
        }

        @Override
        protected void run() {
            note(name);
            body.run();
        }

        @Override
        protected String describe() {
            return "step of " + name;
        }
    }

    @Override
    public int poll() {
        Runnable step = input.poll();
        if (step == null) {
            return 0;
        }
        step.run();
        return 1;
    }

    @Override
    public void released(Epoch epoch) {
        note("released " + epoch.attachment());
    }

    @Override
    public void drained() {
        note("drained");
    }

    @Override
    public long idle() {
        return Long.MAX_VALUE;
    }

    @Override
    public @Nullable Object workerStarted(Worker worker) {
        workersStarted++;
        return null;
    }

    @Override
    public void workerStopped(Worker worker, @Nullable Object attachment) {
        workersStopped++;
    }

    @Override
    public void stuck(String text) {
        stuck.add(text);
    }

    @Override
    public void failed(Throwable cause) {
        failures.add(cause);
        note("failed");
    }

    @Override
    public void close() {
        task.close();
        simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
        simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
        simulation.close();
    }
}
