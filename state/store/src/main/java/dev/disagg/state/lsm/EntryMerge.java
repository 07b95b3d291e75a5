// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.TableEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Merges sources by key and groups the entries of one key, newest first. The caller waits for {@link #fill} when
 * {@link #ready} says no; everything else is computation.
 */
final class EntryMerge {
    private final Source[] sources;
    private final List<TableEntry> group = new ArrayList<>();
    /** Numbers of the sources that the group is from. */
    private final int[] chosen;

    /** @param newestFirst of two sources with one key, the first one is the newer */
    EntryMerge(List<Source> newestFirst) {
        this.sources = newestFirst.toArray(new Source[0]);
        this.chosen = new int[sources.length];
    }

    /** Whether {@link #nextGroup} can be called: every source has a head or is at its end. */
    boolean ready() {
        for (Source source : sources) {
            if (source.head() == null && !source.ended()) {
                return false;
            }
        }
        return true;
    }

    /** Fetches what is missing, from all sources at once; complete already when memory had it. */
    CompletableFuture<Void> fill() {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (Source source : sources) {
            if (source.head() == null && !source.ended()) {
                CompletableFuture<Void> fill = source.fill();
                if (!fill.isDone() || fill.isCompletedExceptionally()) {
                    running.add(fill);
                }
            }
        }
        return running.size() == 1
                ? running.get(0)
                : CompletableFuture.allOf(running.toArray(CompletableFuture[]::new));
    }

    /** The entries of the smallest key, newest first, valid until the next call; null at the end. */
    @Nullable
    List<TableEntry> nextGroup() {
        byte[] smallest = null;
        int taken = 0;
        group.clear();
        for (int i = 0; i < sources.length; i++) {
            TableEntry head = sources[i].head();
            if (head == null) {
                continue;
            }
            int order = smallest == null ? -1 : Arrays.compareUnsigned(head.key(), smallest);
            if (order < 0) {
                group.clear();
                taken = 0;
                smallest = head.key();
            }
            if (order <= 0) {
                group.add(head);
                chosen[taken++] = i;
            }
        }
        if (smallest == null) {
            return null;
        }
        for (int i = 0; i < taken; i++) {
            sources[chosen[i]].pop();
        }
        return group;
    }

    void close() {
        for (Source source : sources) {
            source.close();
        }
    }
}
