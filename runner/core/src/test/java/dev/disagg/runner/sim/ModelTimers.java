// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.Comparator;
import java.util.TreeSet;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerMap;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** The timers of a key, in the model: they are due in the order of their times and, with equal times, of their names. */
final class ModelTimers {
    private static final Comparator<Pending> ORDER = Comparator.comparingLong(Pending::timestampMillis)
            .thenComparing(Pending::expiry)
            .thenComparing(pending -> pending.family().length())
            .thenComparing(Pending::family)
            .thenComparing(Pending::id)
            .thenComparingLong(Pending::windowEndMillis);

    /**
     * A timer that is set.
     *
     * @param expiry whether it is the one by which a window ends
     * @param setBy index of the entry that set it
     * @param again whether the entry was a firing of this timer
     */
    record Pending(
            boolean expiry,
            String family,
            String id,
            long windowEndMillis,
            long timestampMillis,
            long outputMillis,
            int setBy,
            boolean again) {
        String name() {
            return Timers.name(family, id);
        }

        boolean is(Pending other) {
            return expiry == other.expiry
                    && windowEndMillis == other.windowEndMillis
                    && family.equals(other.family)
                    && id.equals(other.id);
        }
    }

    final TreeSet<Pending> event = new TreeSet<>(ORDER);
    final TreeSet<Pending> processing = new TreeSet<>(ORDER);

    /** Replaces an earlier setting of the same timer. */
    void set(TreeSet<Pending> in, Pending timer) {
        clear(in, timer);
        in.add(timer);
    }

    private static void clear(TreeSet<Pending> in, Pending timer) {
        in.removeIf(each -> each.is(timer));
    }

    /** What the body of {@code entry} has for timers; of processing time only in the global window. */
    Timers of(Entry entry, int index, long expiryMillis, boolean withProcessing) {
        return new Timers(
                new Handle(event, "", "a", entry, index, expiryMillis),
                new Handle(event, "", "b", entry, index, expiryMillis),
                new TimerMap() {
                    @Override
                    public void set(String timerId, Instant absoluteTime) {
                        get(timerId).set(absoluteTime);
                    }

                    @Override
                    public Timer get(String timerId) {
                        return new Handle(event, Timers.FAMILY, timerId, entry, index, expiryMillis);
                    }
                },
                withProcessing ? new Handle(processing, "", "p", entry, index, expiryMillis) : null);
    }

    private final class Handle implements Timer {
        private final TreeSet<Pending> in;
        private final String family;
        private final String id;
        private final Entry entry;
        private final int index;
        private final long expiryMillis;
        private Duration offset = Duration.ZERO;
        private long outputMillis = Long.MAX_VALUE;

        Handle(TreeSet<Pending> in, String family, String id, Entry entry, int index, long expiryMillis) {
            this.in = in;
            this.family = family;
            this.id = id;
            this.entry = entry;
            this.index = index;
            this.expiryMillis = expiryMillis;
        }

        private Pending at(long millis) {
            boolean again = entry.timer().equals(Timers.name(family, id));
            return new Pending(false, family, id, entry.windowEndMillis(), millis, outputMillis, index, again);
        }

        @Override
        public void set(Instant absoluteTime) {
            ModelTimers.this.set(in, at(absoluteTime.getMillis()));
        }

        @Override
        public void setRelative() {
            long target = getCurrentRelativeTime().plus(offset).getMillis();
            ModelTimers.this.set(in, at(Math.min(target, expiryMillis)));
        }

        @Override
        public void clear() {
            ModelTimers.clear(in, at(0));
        }

        @Override
        public Timer offset(@Nullable Duration newOffset) {
            offset = newOffset == null ? Duration.ZERO : newOffset;
            return this;
        }

        @Override
        public Timer align(Duration period) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Timer withOutputTimestamp(Instant outputTime) {
            outputMillis = outputTime.getMillis();
            return this;
        }

        @Override
        public Timer withNoOutputTimestamp() {
            outputMillis = Long.MAX_VALUE;
            return this;
        }

        @Override
        public Instant getCurrentRelativeTime() {
            return new Instant(entry.watermarkMillis());
        }
    }
}
