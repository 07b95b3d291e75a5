// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What other threads have for the leader: many producers, one consumer, and the place where the leader sleeps.
 *
 * <p>Mail is a stack that the leader takes whole and turns over, so order of arrival is kept and no lock is taken.
 * Nothing is lost while the leader falls asleep: it announces the sleep, then looks again, then parks; a producer posts,
 * then looks for the announcement. Both pairs are volatile, so at least one of the two sees the other. Only a producer
 * that finds the announcement pays for an unpark.
 *
 * <p>Not bounded by itself: fetches and parks are bounded by what is in flight, calls by those who make them.
 */
final class Mailbox {
    private static final class Closed extends Mail {}

    private static final Mail CLOSED = new Closed();
    private static final VarHandle TOP;
    private static final VarHandle SLEEPER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(Mailbox.class, "top", Mail.class);
            SLEEPER = lookup.findVarHandle(Mailbox.class, "sleeper", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WorkerThreads threads;
    private volatile @Nullable Mail top;
    private volatile @Nullable Thread sleeper;
    private volatile boolean signalled;

    Mailbox(WorkerThreads threads) {
        this.threads = threads;
    }

    /** Any thread. False when the mailbox is closed and the mail was not taken. */
    boolean post(Mail mail) {
        Mail first;
        do {
            first = top;
            if (first == CLOSED) {
                return false;
            }
            mail.nextMail = first;
            threads.interleave();
        } while (!TOP.compareAndSet(this, first, mail));
        threads.interleave();
        rouse();
        return true;
    }

    /** Any thread: the leader shall look for input again. */
    void signal() {
        signalled = true;
        threads.interleave();
        rouse();
    }

    /** Wakes the leader if it sleeps, whatever it waits for. */
    void rouse() {
        Thread asleep = sleeper;
        if (asleep != null && SLEEPER.compareAndSet(this, asleep, null)) {
            threads.unpark(asleep);
        }
    }

    boolean hasMail() {
        return top != null;
    }

    boolean isSignalled() {
        return signalled;
    }

    /** Leader, before it looks for input: a signal that comes while it looks is kept. */
    boolean takeSignal() {
        if (!signalled) {
            return false;
        }
        signalled = false;
        threads.interleave();
        return true;
    }

    /** Leader: all mail in order of arrival, linked by {@link Mail#nextMail}. */
    @Nullable
    Mail takeAll() {
        return inOrder((Mail) TOP.getAndSet(this, null));
    }

    /** Leader: refuses further mail and returns the rest. */
    @Nullable
    Mail close() {
        Mail rest = (Mail) TOP.getAndSet(this, CLOSED);
        return rest == CLOSED ? null : inOrder(rest);
    }

    /**
     * Leader: sleeps until roused or until the time is over, unless {@code ready} says that there is something already.
     * May return early; the caller looks again.
     */
    void sleep(long nanos, BooleanSupplier ready) {
        sleeper = Thread.currentThread();
        threads.interleave();
        if (!ready.getAsBoolean()) {
            threads.park(nanos);
        }
        sleeper = null;
    }

    boolean isLeaderAsleep() {
        return sleeper != null;
    }

    private static @Nullable Mail inOrder(@Nullable Mail newestFirst) {
        Mail oldestFirst = null;
        Mail mail = newestFirst;
        while (mail != null) {
            Mail older = mail.nextMail;
            mail.nextMail = oldestFirst;
            oldestFirst = mail;
            mail = older;
        }
        return oldestFirst;
    }
}
