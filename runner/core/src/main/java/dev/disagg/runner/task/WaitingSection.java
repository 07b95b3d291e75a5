// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/** A bounded number of waiting elements of one key group that came one after the other: in memory, or in the store alone. */
final class WaitingSection {
    private static final int MOST_ELEMENTS = 1024;
    private static final long MOST_BYTES = 256 << 10;
    private static final int MOST_WINDOWS = 64;

    /** Null for those in the store. */
    @Nullable
    List<Waiting> elements;

    int count;
    long bytes;
    long minMillis = Long.MAX_VALUE;
    long firstNumber = Long.MAX_VALUE;
    long endNumber;
    /** The windows of its elements; null for too many to tell. */
    private @Nullable Set<BoundedWindow> windows = new HashSet<>();

    WaitingSection(boolean inMemory) {
        elements = inMemory ? new ArrayList<>() : null;
    }

    boolean inMemory() {
        return elements != null;
    }

    boolean isFull() {
        return count >= MOST_ELEMENTS || bytes >= MOST_BYTES;
    }

    void add(Waiting element, long elementBytes) {
        if (elements != null) {
            elements.add(element);
        }
        bytes += elementBytes;
        note(element);
    }

    private void note(Waiting element) {
        count++;
        minMillis = Math.min(minMillis, element.timestampMillis());
        if (element.number() >= 0) {
            firstNumber = Math.min(firstNumber, element.number());
            endNumber = element.number() + 1;
        }
        if (windows != null) {
            windows.add(element.window());
            if (windows.size() > MOST_WINDOWS) {
                windows = null;
            }
        }
    }

    /** What is left after some have gone in. */
    void keep(List<Waiting> left) {
        bytes = count == 0 ? 0 : bytes * left.size() / count;
        count = 0;
        minMillis = Long.MAX_VALUE;
        firstNumber = Long.MAX_VALUE;
        windows = new HashSet<>();
        if (elements != null) {
            elements = new ArrayList<>(left);
        }
        left.forEach(this::note);
    }

    /** False: certainly no element of it is ready. */
    boolean mayBeReady(Predicate<BoundedWindow> ready) {
        return windows == null || windows.stream().anyMatch(ready);
    }
}
