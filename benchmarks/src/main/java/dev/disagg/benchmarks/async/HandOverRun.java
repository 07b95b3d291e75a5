// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import com.sun.management.OperatingSystemMXBean;
import dev.disagg.async.AsyncOptions;
import dev.disagg.async.AsyncTask;
import dev.disagg.async.Computation;
import dev.disagg.async.Duty;
import dev.disagg.async.Epoch;
import dev.disagg.async.KeySlot;
import dev.disagg.async.WorkerThreads;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * {@code HandOverRun platform|virtual}: computations of which each waits in its body for what the next leader's turn brings, one at
 * a time; prints nanoseconds per computation, which is one hand-over and one resume.
 */
public final class HandOverRun {
    private static final int WARM_UPS = 400_000;
    private static final int MEASURED = 400_000;

    private HandOverRun() {}

    private static final class Waiting extends Computation {
        private final Turns turns;

        Waiting(Turns turns) {
            this.turns = turns;
        }

        @Override
        protected boolean prepare() {
            return true;
        }

        @Override
        protected void run() {
            CompletableFuture<Boolean> arrives = new CompletableFuture<>();
            turns.arrives = arrives;
            turns.task.await(arrives);
            turns.done++;
        }

        @Override
        protected String describe() {
            return "a computation that waits";
        }
    }

    /** Lets what is waited for arrive, or admits the next computation. */
    private static final class Turns implements Duty {
        private final AsyncTask task;
        private final KeySlot slot = new KeySlot();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private @Nullable CompletableFuture<Boolean> arrives;
        private int done;
        private long warmNanos;
        private long warmCpuNanos;
        private long nanos;
        private long cpuNanos;

        Turns(WorkerThreads threads) {
            task = new AsyncTask("turns", this, AsyncOptions.defaults(threads, System::nanoTime));
        }

        @Override
        public int poll() {
            CompletableFuture<Boolean> waitedFor = arrives;
            if (waitedFor != null) {
                arrives = null;
                waitedFor.complete(true);
                return 1;
            }
            if (task.inFlight() > 0) {
                return 0;
            }
            if (done == WARM_UPS) {
                warmNanos = System.nanoTime();
                warmCpuNanos = cpu();
            } else if (done == WARM_UPS + MEASURED) {
                nanos = System.nanoTime() - warmNanos;
                cpuNanos = cpu() - warmCpuNanos;
                task.shutdown();
                ended.complete(null);
                return 0;
            }
            task.admit(slot, new Waiting(this));
            return 1;
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
        public void failed(Throwable cause) {
            ended.completeExceptionally(cause);
        }
    }

    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** @param args as the class says */
    public static void main(String[] args) {
        Turns turns =
                new Turns(args[0].equals("virtual") ? WorkerThreads.virtualIfAvailable() : WorkerThreads.platform());
        turns.task.start();
        turns.ended.join();
        System.out.println(String.format(
                Locale.ROOT,
                "RESULT nanos=%.1f cpuNanos=%.1f",
                (double) turns.nanos / MEASURED,
                (double) turns.cpuNanos / MEASURED));
        System.exit(0);
    }
}
