// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/** A task on real threads whose input is a list of steps, or a source. */
final class RealOwner implements Duty {
    final AsyncTask task;
    final LinkedBlockingQueue<Runnable> input = new LinkedBlockingQueue<>();
    final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    final LinkedBlockingQueue<String> stuck = new LinkedBlockingQueue<>();
    IntSupplier source = () -> {
        Runnable step = input.poll();
        if (step == null) {
            return 0;
        }
        step.run();
        return 1;
    };

    RealOwner(RealThreads threads, UnaryOperator<AsyncOptions> options) {
        task = new AsyncTask("real", this, options.apply(AsyncOptions.defaults(threads, System::nanoTime)));
    }

    Computation body(String name, Runnable body) {
        return new Computation() {
            @Override
            protected boolean prepare() {
                return true;
            }

            @Override
            protected void run() {
                body.run();
            }

            @Override
            protected String describe() {
                return "body " + name;
            }
        };
    }

    void awaitEnd() throws Exception {
        task.terminated().handle((done, failure) -> done).get(50, TimeUnit.SECONDS);
    }

    @Override
    public int poll() {
        return source.getAsInt();
    }

    @Override
    public void released(Epoch epoch) {}

    @Override
    public void drained() {}

    @Override
    public long idle() {
        return Long.MAX_VALUE;
    }

    @Override
    public void stuck(String text) {
        stuck.add(text);
    }

    @Override
    public void failed(Throwable cause) {
        failures.add(cause);
    }
}
