// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A key's timers by (domain, id), cleared ones included until the store knows. A list while they are few, as they nearly
 * always are; indexed beyond.
 */
final class TimerSlots {
    private static final int MANY = 16;

    private static final Comparator<Timer> BY_TIME =
            Comparator.comparingLong(Timer::timestampMillis).thenComparing(Timer::id, Arrays::compareUnsigned);

    private final List<Slot> few = new ArrayList<>(1);
    /** Once there are many, as the next two. */
    private @Nullable Map<Id, Slot> byId;

    private List<TreeSet<Timer>> byTime = List.of();
    private List<Map<Long, Integer>> byOutput = List.of();
    private int live;

    @Nullable
    Slot find(TimerDomain domain, byte[] id) {
        if (byId != null) {
            return byId.get(new Id(domain, id));
        }
        for (Slot slot : few) {
            if (slot.domain == domain && Arrays.equals(slot.id, id)) {
                return slot;
            }
        }
        return null;
    }

    Slot add(TimerDomain domain, byte[] id) {
        Slot slot = new Slot(domain, id);
        if (byId == null && few.size() == MANY) {
            Map<Id, Slot> all = new HashMap<>();
            byTime = List.of(new TreeSet<>(BY_TIME), new TreeSet<>(BY_TIME));
            byOutput = List.of(new HashMap<>(), new HashMap<>());
            for (Slot each : few) {
                all.put(new Id(each.domain, each.id), each);
                index(each.timer, 1);
            }
            few.clear();
            byId = all;
        }
        if (byId != null) {
            byId.put(new Id(domain, id), slot);
        } else {
            few.add(slot);
        }
        return slot;
    }

    void remove(Slot slot) {
        set(slot, null);
        if (byId != null) {
            byId.remove(new Id(slot.domain, slot.id));
        } else {
            few.remove(slot);
        }
    }

    void set(Slot slot, @Nullable Timer timer) {
        live += (timer == null ? 0 : 1) - (slot.timer == null ? 0 : 1);
        if (byId != null) {
            index(slot.timer, -1);
            index(timer, 1);
        }
        slot.timer = timer;
    }

    @Nullable
    Timer firstDue(TimerDomain domain, long beforeMillisExclusive) {
        Timer first = null;
        if (byId != null) {
            TreeSet<Timer> timers = byTime.get(domain.ordinal());
            first = timers.isEmpty() ? null : timers.first();
        } else {
            for (Slot slot : few) {
                Timer timer = slot.timer;
                if (slot.domain == domain && timer != null && (first == null || BY_TIME.compare(timer, first) < 0)) {
                    first = timer;
                }
            }
        }
        return first == null || first.timestampMillis() >= beforeMillisExclusive ? null : first;
    }

    List<Timer> due(TimerDomain domain, long beforeMillisExclusive, int max) {
        List<Timer> due = new ArrayList<>();
        if (byId != null) {
            for (Timer timer : byTime.get(domain.ordinal())) {
                if (due.size() >= max || timer.timestampMillis() >= beforeMillisExclusive) {
                    break;
                }
                due.add(timer);
            }
            return due;
        }
        for (Slot slot : few) {
            Timer timer = slot.timer;
            if (due.size() < max
                    && slot.domain == domain
                    && timer != null
                    && timer.timestampMillis() < beforeMillisExclusive) {
                due.add(timer);
            }
        }
        return due;
    }

    /** Whether a live timer has this timestamp. */
    boolean anyAt(TimerDomain domain, long timestampMillis) {
        if (byId != null) {
            Timer next = byTime.get(domain.ordinal())
                    .ceiling(new Timer(KeyLayout.EMPTY, domain, timestampMillis, 0, KeyLayout.EMPTY));
            return next != null && next.timestampMillis() == timestampMillis;
        }
        for (Slot slot : few) {
            if (slot.domain == domain && slot.timer != null && slot.timer.timestampMillis() == timestampMillis) {
                return true;
            }
        }
        return false;
    }

    /** Whether a live timer that {@link KeyTimers#holds} has this output timestamp. */
    boolean anyHoldingAt(TimerDomain domain, long outputTimestampMillis) {
        if (byId != null) {
            return byOutput.get(domain.ordinal()).containsKey(outputTimestampMillis);
        }
        for (Slot slot : few) {
            Timer timer = slot.timer;
            if (slot.domain == domain
                    && timer != null
                    && KeyTimers.holds(timer)
                    && timer.outputTimestampMillis() == outputTimestampMillis) {
                return true;
            }
        }
        return false;
    }

    Collection<Slot> all() {
        return byId == null ? few : byId.values();
    }

    int live() {
        return live;
    }

    int size() {
        return byId == null ? few.size() : byId.size();
    }

    private void index(@Nullable Timer timer, int count) {
        if (timer == null) {
            return;
        }
        int domain = timer.domain().ordinal();
        if (count > 0) {
            byTime.get(domain).add(timer);
        } else {
            byTime.get(domain).remove(timer);
        }
        if (KeyTimers.holds(timer)) {
            byOutput.get(domain).merge(timer.outputTimestampMillis(), count, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    static final class Slot {
        final TimerDomain domain;
        final byte[] id;

        @Nullable
        Timer timer;

        boolean stored;
        boolean dirty;

        private Slot(TimerDomain domain, byte[] id) {
            this.domain = domain;
            this.id = id;
        }
    }

    private record Id(TimerDomain domain, byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Id i && domain == i.domain && Arrays.equals(bytes, i.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes) * 2 + domain.ordinal();
        }
    }
}
