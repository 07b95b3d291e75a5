// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.TaskState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * Elements that wait until their windows are ready, in order per key, any number of them: a few MiB are kept in memory, the
 * rest in the task's inbox alone, in {@link WaitingSection}s of which a few figures are kept. When something has become
 * ready, one pass goes through the sections that may have ready elements, as far as there is room at each call. Elements
 * of a key are in one group, so a pass remembers who stays for one group at a time. Leader only.
 */
final class WaitingRoom {
    static final long MEMORY_BYTES = 4 << 20;
    private static final int MOST_KEYS = 1 << 19;
    private static final int PAGE_BYTES = 1 << 20;
    /** Elements looked at in one call. */
    private static final int MOST_LOOKS = 4096;

    private final WaitingCodec codec;
    private final @Nullable TaskState store;
    private final long memoryBytes;
    private final Predicate<BoundedWindow> ready;
    private final Runnable wake;

    private final TreeMap<Integer, List<WaitingSection>> groups = new TreeMap<>();
    /** How many sections have this least timestamp. */
    private final TreeMap<Long, Integer> minima = new TreeMap<>();

    private final HashCounts keys = new HashCounts(MOST_KEYS);
    private long count;
    private long inMemoryBytes;
    private boolean changed;
    private @Nullable Pass pass;

    /**
     * @param store null when there is none: all wait in memory then
     * @param wake calls for a {@link #poll}; any thread
     */
    WaitingRoom(
            WaitingCodec codec,
            @Nullable TaskState store,
            long memoryBytes,
            Predicate<BoundedWindow> ready,
            Runnable wake) {
        this.codec = codec;
        this.store = store;
        this.memoryBytes = memoryBytes;
        this.ready = ready;
        this.wake = wake;
    }

    /** A way through the sections, in order, while elements come and go. */
    private static final class Pass {
        int group;
        List<WaitingSection> sections = List.of();
        /** Index of the section that is next, and of the last one that may have ready elements. */
        int at;

        int last = -1;
        /** Keys of this group of which an element stays. */
        final Set<Long> behind = new HashSet<>();

        @Nullable
        WaitingSection section;

        @Nullable
        CompletableFuture<List<Waiting>> read;

        List<Waiting> items = List.of();
        int next;
        List<Waiting> staying = new ArrayList<>();
    }

    void add(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash) {
        int group = codec.group(key, hash);
        byte[] encoded = codec.encode(value, edge);
        long number = store == null ? -1 : store.inbox().append(group, encoded);
        newcomer(new Waiting(value, edge, key, hash, group, number), encoded.length);
    }

    /** Takes an element that is in the inbox already, and after all of its group that were taken before. */
    void hold(Waiting element) {
        newcomer(element, codec.encode(element.value(), element.edge()).length);
    }

    private void newcomer(Waiting element, int bytes) {
        // One that waits only behind others, and that a pass under way may not come to, or that does so for no known
        // reason.
        changed |= element.key() != null && (pass != null || keys.isLost()) && ready.test(element.window());
        place(element, bytes);
    }

    /** Takes an element back that a checkpoint stored; in the order of groups and numbers. */
    void restore(Inbox.Item item) {
        place(codec.decode(item), item.element().length);
        changed = true;
    }

    private void place(Waiting element, int bytes) {
        boolean inMemory = store == null || inMemoryBytes + bytes <= memoryBytes;
        List<WaitingSection> sections = groups.computeIfAbsent(element.group(), group -> new ArrayList<>());
        WaitingSection section = sections.isEmpty() ? null : sections.get(sections.size() - 1);
        boolean fits = section != null
                && !section.isFull()
                && section.inMemory() == inMemory
                && (pass == null || pass.section != section);
        if (section == null || !fits) {
            section = new WaitingSection(inMemory);
            sections.add(section);
        }
        forgetMinimum(section);
        section.add(element, bytes);
        noteMinimum(section);
        count++;
        inMemoryBytes += inMemory ? bytes : 0;
        if (element.key() != null) {
            keys.add(element.hash());
        }
    }

    private void noteMinimum(WaitingSection section) {
        minima.merge(section.minMillis, 1, Integer::sum);
    }

    private void forgetMinimum(WaitingSection section) {
        if (section.count > 0) {
            minima.merge(section.minMillis, -1, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    /** Whether an element of this key waits, or may: then a later one has to wait behind it. */
    boolean waits(long hash) {
        return keys.contains(hash) || (keys.isLost() && groups.containsKey(dev.disagg.state.KeyRange.group(hash)));
    }

    /** Other windows may be ready than before. */
    void changed() {
        changed = count > 0;
    }

    /** The least timestamp of those that wait; {@link Long#MAX_VALUE} for none. */
    long holdMillis() {
        return minima.isEmpty() ? Long.MAX_VALUE : minima.firstKey();
    }

    /** Whether {@link #poll} has nothing to do until something changes. */
    boolean isQuiet() {
        return pass == null && !changed;
    }

    long count() {
        return count;
    }

    long inMemoryBytes() {
        return inMemoryBytes;
    }

    /**
     * Gives out at most {@code room} elements that are ready, in order per key. Never waits.
     *
     * @return how much work that was: more than 0 when there may be more to do at once
     */
    int poll(int room, Consumer<Waiting> into) {
        int given = 0;
        int looked = 0;
        while (given < room && looked < MOST_LOOKS) {
            Pass going = pass;
            if (going == null) {
                if (!changed || count == 0) {
                    changed = false;
                    return looked;
                }
                changed = false;
                going = new Pass();
                going.group = -1;
                pass = going;
            }
            if (going.section == null && !nextSection(going)) {
                pass = null;
                continue;
            }
            if (!isRead(going)) {
                return looked;
            }
            int from = going.next;
            given += give(going, room - given, into);
            looked += 1 + going.next - from;
            if (going.next == going.items.size()) {
                endSection(going);
            }
        }
        return looked;
    }

    /** Moves to the next section that is to be looked at; false at the end. */
    private boolean nextSection(Pass going) {
        while (going.at > going.last) {
            Map.Entry<Integer, List<WaitingSection>> entry = groups.higherEntry(going.group);
            if (entry == null) {
                return false;
            }
            going.group = entry.getKey();
            going.sections = entry.getValue();
            going.behind.clear();
            going.at = 0;
            going.last = going.sections.size() - 1;
            while (going.last >= 0 && !going.sections.get(going.last).mayBeReady(ready)) {
                going.last--;
            }
        }
        going.section = going.sections.get(going.at);
        going.next = 0;
        going.staying = new ArrayList<>();
        List<Waiting> here = going.section.elements;
        going.items = here == null ? List.of() : here;
        going.read = here == null ? read(going.group, going.section) : null;
        return true;
    }

    private CompletableFuture<List<Waiting>> read(int group, WaitingSection section) {
        TaskState from = store;
        if (from == null) {
            throw new IllegalStateException("what is not in memory is in the store");
        }
        Pages<Inbox.Item> pages = from.inbox().range(group, section.firstNumber, section.endNumber);
        CompletableFuture<List<Waiting>> read = readOn(pages, new ArrayList<>());
        if (!read.isDone()) {
            read.whenComplete((items, failure) -> wake.run());
        }
        return read;
    }

    private CompletableFuture<List<Waiting>> readOn(Pages<Inbox.Item> pages, List<Waiting> read) {
        return pages.next(PAGE_BYTES).thenCompose(page -> {
            if (page.isEmpty()) {
                return CompletableFuture.completedFuture(read);
            }
            page.forEach(item -> read.add(codec.decode(item)));
            return readOn(pages, read);
        });
    }

    private static boolean isRead(Pass going) {
        CompletableFuture<List<Waiting>> read = going.read;
        if (read == null) {
            return true;
        }
        if (!read.isDone()) {
            return false;
        }
        going.items = read.join();
        going.read = null;
        return true;
    }

    private int give(Pass going, int room, Consumer<Waiting> into) {
        int given = 0;
        while (going.next < going.items.size() && given < room) {
            Waiting element = going.items.get(going.next++);
            boolean keyed = element.key() != null;
            if ((keyed && going.behind.contains(element.hash())) || !ready.test(element.window())) {
                going.staying.add(element);
                if (keyed) {
                    going.behind.add(element.hash());
                }
                continue;
            }
            count--;
            if (keyed) {
                keys.remove(element.hash());
            }
            if (store != null && element.number() >= 0) {
                store.inbox().remove(element.group(), element.number());
            }
            given++;
            into.accept(element);
        }
        return given;
    }

    private void endSection(Pass going) {
        WaitingSection section = going.section;
        if (section == null) {
            throw new IllegalStateException("no section is being looked at");
        }
        forgetMinimum(section);
        long before = section.bytes;
        section.keep(going.staying);
        inMemoryBytes -= section.inMemory() ? before - section.bytes : 0;
        if (section.count > 0) {
            noteMinimum(section);
            going.at++;
        } else {
            going.sections.remove(going.at);
            going.last--;
            if (going.sections.isEmpty()) {
                groups.remove(going.group);
            }
        }
        going.section = null;
        going.items = List.of();
        going.staying = List.of();
    }
}
