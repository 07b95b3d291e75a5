// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The leader's mail, sorted by kind. Owned by the leader. */
final class Deliveries {
    private final Mailbox mailbox;
    private final Counters counters;
    private final Consumer<Worker> rejoin;
    private final ArrayDeque<Call> calls = new ArrayDeque<>();
    private final ArrayDeque<Wait> resumes = new ArrayDeque<>();
    private final ComputationQueue callbacks = new ComputationQueue();

    /** Computations whose reads are out. */
    int fetching;

    Deliveries(Mailbox mailbox, Counters counters, Consumer<Worker> rejoin) {
        this.mailbox = mailbox;
        this.counters = counters;
        this.rejoin = rejoin;
    }

    /** Runs nothing, so it may be called inside a computation too. */
    void take() {
        if (mailbox.hasMail()) {
            sort(mailbox.takeAll());
        }
    }

    /** Takes the last mail; none comes after it. */
    void takeLast() {
        sort(mailbox.close());
    }

    @Nullable
    Call nextCall() {
        return calls.pollFirst();
    }

    /** A parked computation whose value is there. */
    @Nullable
    Wait nextResumable() {
        Wait wait = resumes.pollFirst();
        while (wait != null && wait.cancelled) {
            wait = resumes.pollFirst();
        }
        return wait;
    }

    /** A computation whose fetched state is there. */
    @Nullable
    Computation nextCallback() {
        return callbacks.poll();
    }

    int waiting() {
        return callbacks.size() + resumes.size();
    }

    private void sort(@Nullable Mail oldest) {
        Mail mail = oldest;
        while (mail != null) {
            Mail following = mail.nextMail;
            mail.nextMail = null;
            if (mail instanceof Computation fetched) {
                arrived(fetched);
            } else if (mail instanceof Wait wait) {
                resumes.addLast(wait);
            } else if (mail instanceof Call call) {
                calls.addLast(call);
            } else if (mail instanceof Unwound unwound) {
                rejoin.accept(unwound.worker);
            }
            mail = following;
        }
    }

    /** One that is not fetching was announced twice: it is on its way already. */
    private void arrived(Computation fetched) {
        fetched.releasePost();
        if (fetched.stage == Computation.FETCHING) {
            fetched.stage = Computation.ADMITTED;
            fetching--;
            counters.resumedFetches++;
            callbacks.add(fetched);
        }
    }
}
