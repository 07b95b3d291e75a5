// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.sameInstance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only real threads show: locks, interrupts, wake-ups, leaks. */
@Timeout(60)
class ThreadsTest {
    private final RealThreads threads = new RealThreads();

    @Test
    void errandsFindTheThreadLocalsOfTheirWorkers() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        ThreadLocal<Worker> bound = new ThreadLocal<>();
        List<Worker> workers = new ArrayList<>();
        CompletableFuture<Long> last = new CompletableFuture<>();
        for (int i = 0; i < 8; i++) {
            boolean isLast = i == 7;
            owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("binds", () -> {
                bound.set(owner.task.currentWorker());
                workers.add(owner.task.currentWorker());
                if (isLast) {
                    last.complete(1L);
                }
                owner.task.await(last);
            })));
        }
        int[] errands = new int[1];
        owner.source = () -> {
            Runnable step = owner.input.poll();
            if (step != null) {
                step.run();
                return 1;
            }
            if (owner.task.inFlight() > 0) {
                return 0;
            }
            for (int round = 0; round < 500; round++) {
                for (Worker worker : workers) {
                    owner.task.runOn(worker, () -> {
                        assertThat(bound.get(), sameInstance(worker));
                        errands[0]++;
                    });
                }
            }
            owner.task.shutdown();
            return 0;
        };
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(0));
        assertThat(errands[0], equalTo(8 * 500));
        threads.joinAll();
    }

    @Test
    void callsOfOneThreadRunInOrder() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        owner.task.start();
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            owner.task.execute(() -> seen.add(number));
        }
        owner.task.execute(last::countDown);
        assertThat(last.await(30, TimeUnit.SECONDS), equalTo(true));
        owner.task.close();
        owner.awaitEnd();
        List<Integer> sorted = new ArrayList<>(seen);
        Collections.sort(sorted);
        assertThat(seen, hasSize(10_000));
        assertThat(seen, equalTo(sorted));
    }

    @Test
    void closingFromOutsideWhileComputationsParkAndResumeAlwaysEnds() throws Exception {
        ExecutorService store = Executors.newFixedThreadPool(2);
        for (int round = 0; round < 200; round++) {
            RealOwner owner = new RealOwner(threads, options -> options.withMaxParked(4));
            AtomicInteger bodies = new AtomicInteger();
            CompletableFuture<Void> warm = new CompletableFuture<>();
            int enough = 5 + round % 20;
            owner.source = () -> {
                if (owner.task.inFlight() > 100) {
                    return 0;
                }
                owner.task.admit(new KeySlot(), owner.body("reads", () -> {
                    CompletableFuture<Long> value = new CompletableFuture<>();
                    store.execute(() -> value.complete(1L));
                    owner.task.await(value);
                    if (bodies.incrementAndGet() == enough) {
                        warm.complete(null);
                    }
                }));
                return 1;
            };
            owner.task.start();
            warm.get(30, TimeUnit.SECONDS);
            owner.task.close();
            owner.awaitEnd();
            threads.joinAll();
        }
        store.shutdownNow();
    }
}
