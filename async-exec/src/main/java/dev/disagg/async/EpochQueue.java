// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The epochs that are not released yet, oldest first; the last one is OPEN. Owned by the leader.
 *
 * <p>Sealing an epoch that saw no computation right behind another such epoch does not add one: the older takes the new
 * attachment and scan, and the OPEN one stays open. To what the task computes that equals an input in which the earlier
 * of the two watermarks was skipped, with nothing between them.
 */
final class EpochQueue {
    private final int maxOpen;
    private Epoch head = new Epoch(0);
    private Epoch open = head;
    private int size = 1;
    private @Nullable Epoch lastSealed;
    /** No epoch before this one has anything left to scan. */
    private Epoch scanFrom = head;

    /** Something happened after which the head may be complete. */
    boolean stirred;

    EpochQueue(int maxOpen) {
        this.maxOpen = maxOpen;
    }

    Epoch open() {
        return open;
    }

    Epoch head() {
        return head;
    }

    int size() {
        return size;
    }

    boolean canSeal() {
        return size < maxOpen || mergesInto() != null;
    }

    Epoch seal(@Nullable Object attachment, EpochScan scan) {
        Epoch merged = mergesInto();
        if (merged != null) {
            if (scanFrom == open) {
                scanFrom = merged;
            }
            merged.attach(attachment);
            merged.scan = scan;
            merged.scanStarted = false;
            return merged;
        }
        if (size >= maxOpen) {
            throw new IllegalStateException(
                    size + " epochs are open, the bound is " + maxOpen + "; ask canSeal() and wait for a release");
        }
        Epoch sealed = open;
        sealed.attach(attachment);
        sealed.scan = scan;
        sealed.close();
        open = new Epoch(sealed.sequence() + 1);
        sealed.next = open;
        size++;
        lastSealed = sealed;
        return sealed;
    }

    /** The sealed epoch whose scan is to go on, null when there is none. */
    @Nullable
    Epoch scanning() {
        while (scanFrom != open && scanFrom.scan == null) {
            scanFrom = following(scanFrom);
        }
        return scanFrom == open ? null : scanFrom;
    }

    void exhausted(Epoch epoch) {
        epoch.scan = null;
        stirred = true;
    }

    /** Takes the head off if all its work is done; null otherwise. */
    @Nullable
    Epoch takeFinished() {
        Epoch taken = head;
        if (!taken.isComplete()) {
            stirred = false;
            return null;
        }
        head = following(taken);
        size--;
        if (scanFrom == taken) {
            scanFrom = head;
        }
        if (lastSealed == taken) {
            lastSealed = null;
        }
        // A computation object that the caller keeps for reuse must not hold all later epochs.
        taken.next = null;
        taken.finish();
        return taken;
    }

    private @Nullable Epoch mergesInto() {
        Epoch last = lastSealed;
        boolean merges = last != null && !open.used && !last.used && !last.scanHalfDone();
        return merges ? last : null;
    }

    private static Epoch following(Epoch epoch) {
        Epoch next = epoch.next;
        if (next == null) {
            throw new NoSuchElementException("no epoch after " + epoch);
        }
        return next;
    }
}
