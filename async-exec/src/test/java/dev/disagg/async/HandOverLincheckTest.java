// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The hand-over and the callback queue under a model checker, which tries the interleavings of their threads: a wake-up
 * that is lost shows as a thread that never ends, a second leader as a count that is not one.
 */
@Timeout(120)
class HandOverLincheckTest {
    private static final int INVOCATIONS = 100;

    /** Two workers of one baton and who leads, in a plain field: only the hand-over orders its reads and writes. */
    private static final class Pair {
        final Baton baton = new Baton("pair", WorkerThreads.platform(), 1, this::work, worker -> {});
        private final CompletableFuture<Long> value = new CompletableFuture<>();
        private final Mailbox mailbox = new Mailbox(WorkerThreads.platform());
        private Worker parked;
        private int leaders;
        private int turns;
        private final boolean lends;

        Pair(boolean lends) {
            this.lends = lends;
        }

        private void work(Worker self) {
            baton.awaitGrant(self);
            enter();
            if (parked == null) {
                parked = self;
                Worker next = requireNonNull(baton.successor(), "none parked yet");
                leave();
                baton.park(self, new Wait(self, null, value, mailbox), next);
                enter();
                if (lends) {
                    Worker other = baton.workers().get(1);
                    leave();
                    baton.lend(self, other, () -> {
                        enter();
                        leave();
                    });
                    enter();
                }
                leave();
                baton.retire();
            } else {
                leave();
                baton.resume(self, parked);
                enter();
                leave();
            }
        }

        private void enter() {
            leaders++;
            turns++;
            check(leaders == 1, "two lead");
        }

        private void leave() {
            leaders--;
        }

        void run() {
            baton.begin();
            for (int i = 0; i < baton.workers().size(); i++) {
                join(requireNonNull(baton.workers().get(i).thread(), "a started thread"));
            }
            check(turns == (lends ? 6 : 4), "turns: " + turns);
            check(leaders == 0, "still leading: " + leaders);
        }
    }

    @Test
    void aLeaderThatParksIsResumedByItsSuccessorAndOneLeadsAtEveryMoment() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> new Pair(false).run());
    }

    @Test
    void anErrandGivesTheLeadershipBack() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> new Pair(true).run());
    }

    /** Parked: granted by the leader, and detached by the watchdog at the same time; one of the two wins. */
    @Test
    void aParkedWorkerIsGrantedOrDetachedButNotBoth() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            WorkerThreads threads = WorkerThreads.platform();
            Worker worker = new Worker("parked");
            boolean[] won = new boolean[3];
            worker.becomeParked(new Wait(worker, null, new CompletableFuture<>(), new Mailbox(threads)));
            Thread parked = threads.start("parked", () -> {
                worker.awaitGrant(threads, () -> {});
                won[2] = worker.detached;
            });
            worker.runsOn(parked);
            Thread watchdog = threads.start("watchdog", () -> won[0] = worker.detach(threads));
            won[1] = worker.grantParked(threads);
            join(watchdog);
            join(parked);
            check(won[0] != won[1], "granted and detached, or neither");
            check(won[2] == won[0], "the worker took it for the other");
        });
    }

    /** Back from user code and left behind at the same time; one of the two wins. */
    @Test
    void aLeaderComesBackOrIsLeftBehindButNotBoth() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            WorkerThreads threads = WorkerThreads.platform();
            Worker worker = new Worker("leader");
            worker.leadOn();
            boolean[] won = new boolean[1];
            Thread watchdog = threads.start("watchdog", () -> won[0] = worker.abandon());
            boolean claimed = worker.claim();
            join(watchdog);
            check(claimed != won[0], "both lead, or nobody");
            check(worker.claim() == claimed, "a claim that does not hold");
        });
    }

    /** Two threads announce the same computation, one of them another one before, while the leader falls asleep and wakes. */
    @Test
    void fetchedComputationsReachASleepingLeaderHoweverOftenTheyAreAnnounced() {
        Lincheck.runConcurrentTest(INVOCATIONS, () -> {
            WorkerThreads threads = WorkerThreads.platform();
            Mailbox mailbox = new Mailbox(threads);
            Deliveries deliveries = new Deliveries(mailbox, new Counters(), worker -> {});
            Fetching first = new Fetching();
            Fetching second = new Fetching();
            deliveries.fetching = 2;
            Thread leader = threads.start("leader", () -> {
                int taken = 0;
                while (taken < 2) {
                    mailbox.sleep(Long.MAX_VALUE, mailbox::hasMail);
                    deliveries.take();
                    while (deliveries.nextCallback() != null) {
                        taken++;
                    }
                }
            });
            Thread other = threads.start("other", () -> announce(mailbox, first));
            // What lies below the one that is announced twice must not get lost.
            announce(mailbox, second);
            announce(mailbox, first);
            join(other);
            join(leader);
            deliveries.take();
            check(deliveries.nextCallback() == null, "one came twice");
            check(deliveries.fetching == 0, "fetching: " + deliveries.fetching);
        });
    }

    private static void announce(Mailbox mailbox, Computation computation) {
        if (computation.claimPost()) {
            mailbox.post(computation);
        }
    }

    private static final class Fetching extends Computation {
        Fetching() {
            stage = FETCHING;
        }

        @Override
        protected boolean prepare() {
            return true;
        }

        @Override
        protected void run() {}

        @Override
        protected String describe() {
            return "fetching";
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
