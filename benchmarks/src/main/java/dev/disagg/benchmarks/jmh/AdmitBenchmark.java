// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.jmh;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.AsyncTask;
import dev.disagg.async.Computation;
import dev.disagg.async.Duty;
import dev.disagg.async.Epoch;
import dev.disagg.async.KeySlot;
import dev.disagg.async.WorkerThreads;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One keyed computation through the asynchronous layer, its key free and its state resident, against the same body behind a
 * set of busy keys. Both look the key's row up in a map first, as every keyed runner must; the layer keeps its busy flag there.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
public class AdmitBenchmark {
    private static final int KEYS = 10_000;
    private static final int BATCH = 512;
    private static final int OPERATIONS = BATCH * 200;
    private static final int STEP = 7919;

    private final Map<Integer, Row> rows = new HashMap<>();
    private final Integer[] keys = new Integer[KEYS];
    private final Set<Integer> busy = new HashSet<>();
    private final Run[] runs = new Run[BATCH];
    private final Semaphore done = new Semaphore(0);
    private int at;
    private volatile int left;
    private boolean oneKey;
    private AsyncTask task;

    /** What a runner keeps per key. */
    private static final class Row extends KeySlot {
        long count;
    }

    private static final class Run extends Computation {
        private Row row = new Row();

        @Override
        protected boolean prepare() {
            return true;
        }

        @Override
        protected void run() {
            row.count++;
        }

        @Override
        protected String describe() {
            return "a benchmark's computation";
        }
    }

    private final class Feed implements Duty {
        @Override
        public int poll() {
            int todo = left;
            if (todo == 0) {
                return 0;
            }
            if (task.inFlight() > 0) {
                throw new IllegalStateException("polled before the batch was done");
            }
            if (todo == 1) {
                left = 0;
                done.release();
                return 1;
            }
            // As many at once as the layer asks for, and no more than a runner takes in one turn.
            int batch = Math.min(Math.min(BATCH, todo - 1), task.room());
            for (int i = 0; i < batch; i++) {
                Run run = runs[i];
                run.row = rows.get(oneKey ? keys[0] : nextKey());
                task.admit(run.row, run);
            }
            left = todo - batch;
            return batch;
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
            cause.printStackTrace();
            done.release();
        }
    }

    private Integer nextKey() {
        at = (at + STEP) % KEYS;
        return keys[at];
    }

    /** Makes the keys and starts a task. */
    @Setup(Level.Trial)
    public void start() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = i;
            rows.put(keys[i], new Row());
        }
        for (int i = 0; i < BATCH; i++) {
            runs[i] = new Run();
        }
        task = new AsyncTask(
                "benchmark", new Feed(), AsyncOptions.defaults(WorkerThreads.platform(), System::nanoTime));
        task.start();
    }

    /** Ends the task. */
    @TearDown(Level.Trial)
    public void stop() {
        task.close();
        task.terminated().join();
    }

    /** The body behind a set of busy keys. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long guard() {
        long sum = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            Integer key = nextKey();
            Row row = rows.get(key);
            if (!busy.add(key)) {
                throw new IllegalStateException("busy");
            }
            row.count++;
            busy.remove(key);
            sum += row.count;
        }
        return sum;
    }

    /** Admitted, run and released, each with a free key. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void inline() throws InterruptedException {
        run(false);
    }

    /** All with the same key: each but the first of a batch waits in the key's queue. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void busyKey() throws InterruptedException {
        run(true);
    }

    private void run(boolean sameKey) throws InterruptedException {
        oneKey = sameKey;
        left = OPERATIONS + 1;
        task.wake();
        done.acquire();
        task.checkFailed();
    }
}
