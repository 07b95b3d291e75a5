// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.LogRecord.Baseline;
import dev.disagg.ufs.LogRecord.Commit;
import dev.disagg.ufs.LogRecord.Epoch;
import dev.disagg.ufs.LogRecord.Expire;
import dev.disagg.ufs.LogRecord.Live;
import dev.disagg.ufs.LogRecord.Pinned;
import dev.disagg.ufs.LogRecord.Unpinned;
import dev.disagg.ufs.LogState.Pin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the records below {@code next} say together: the pure half of the log. Immutable; the maps are never modified.
 *
 * @param next the number that the next record gets
 * @param epochNumber the number of the newest EPOCH record in effect
 * @param kept by checkpoint's id
 */
record LogView(
        long next,
        long epoch,
        long epochNumber,
        long intervalMillis,
        long lastCheckpointId,
        TreeMap<Long, Kept> kept,
        Set<Pin> pins) {

    /** A kept checkpoint. */
    record Kept(Checkpoint checkpoint, long number, boolean expired) {}

    static LogView empty() {
        return new LogView(1, 0, 0, 0, 0, new TreeMap<>(), Set.of());
    }

    /** The view after a record that carries a baseline, when nothing before is known. */
    static LogView from(long number, Baseline after, Map<Long, Checkpoint> checkpoints) {
        TreeMap<Long, Kept> kept = new TreeMap<>();
        for (Live live : after.live()) {
            Checkpoint checkpoint = checkpoints.get(live.id());
            if (checkpoint == null) {
                throw new Corrupt("log record " + number + " keeps checkpoint " + live.id()
                        + ", which no record carries; restore from another job's checkpoint or a savepoint");
            }
            kept.put(live.id(), new Kept(checkpoint, live.number(), live.expired()));
        }
        return new LogView(
                number + 1,
                after.epoch(),
                after.epochNumber(),
                after.intervalMillis(),
                after.lastCheckpointId(),
                kept,
                new LinkedHashSet<>(after.pins()));
    }

    /** The view after the record of number {@code next}. */
    LogView apply(LogRecord record) {
        if (record instanceof Epoch begun) {
            return new LogView(next + 1, begun.epoch(), next, begun.intervalMillis(), lastCheckpointId, kept, pins);
        } else if (record instanceof Commit commit) {
            Map<Long, Checkpoint> known = checkpoints();
            known.put(commit.checkpoint().id(), commit.checkpoint());
            return from(next, commit.after(), known);
        } else if (record instanceof Expire expire) {
            return from(next, expire.after(), checkpoints());
        } else if (record instanceof Pinned pinned) {
            return pin(pinned.pin());
        } else {
            return unpin(((Unpinned) record).pin());
        }
    }

    /** The record that would commit {@code checkpoint} and expire {@code expired} as number {@code next}. */
    Commit commit(Checkpoint checkpoint, Collection<Long> expired) {
        TreeMap<Long, Kept> after = without(expired);
        after.put(checkpoint.id(), new Kept(checkpoint, next, false));
        return new Commit(baseline(after, checkpoint.id()), checkpoint);
    }

    /** The record that would expire {@code expired}. */
    Expire expire(Collection<Long> expired) {
        return new Expire(baseline(without(expired), lastCheckpointId));
    }

    /** Whether the checkpoint is committed and not expired. */
    boolean isLive(long id) {
        Kept there = kept.get(id);
        return there != null && !there.expired();
    }

    LogState state() {
        List<Checkpoint> live = new ArrayList<>();
        List<Checkpoint> pinned = new ArrayList<>();
        kept.values().forEach(each -> (each.expired() ? pinned : live).add(each.checkpoint()));
        return new LogState(
                next,
                epoch,
                Duration.ofMillis(intervalMillis),
                lastCheckpointId,
                List.copyOf(live),
                List.copyOf(pinned),
                Set.copyOf(pins));
    }

    private LogView pin(Pin pin) {
        Set<Pin> after = new LinkedHashSet<>(pins);
        if (isLive(pin.checkpoint())) {
            after.add(pin);
        }
        return new LogView(next + 1, epoch, epochNumber, intervalMillis, lastCheckpointId, kept, after);
    }

    private LogView unpin(Pin pin) {
        Set<Pin> after = new LinkedHashSet<>(pins);
        after.remove(pin);
        TreeMap<Long, Kept> still = new TreeMap<>(kept);
        Kept there = kept.get(pin.checkpoint());
        if (there != null && there.expired() && !isPinned(after, pin.checkpoint())) {
            still.remove(pin.checkpoint());
        }
        return new LogView(next + 1, epoch, epochNumber, intervalMillis, lastCheckpointId, still, after);
    }

    private TreeMap<Long, Kept> without(Collection<Long> expired) {
        TreeMap<Long, Kept> after = new TreeMap<>(kept);
        for (long id : expired) {
            Kept there = after.remove(id);
            if (there != null && isPinned(pins, id)) {
                after.put(id, new Kept(there.checkpoint(), there.number(), true));
            }
        }
        return after;
    }

    private Baseline baseline(TreeMap<Long, Kept> after, long lastId) {
        List<Live> live = new ArrayList<>();
        after.forEach((id, each) -> live.add(new Live(id, each.number(), each.expired())));
        return new Baseline(epoch, epochNumber, intervalMillis, lastId, live, List.copyOf(pins));
    }

    private Map<Long, Checkpoint> checkpoints() {
        Map<Long, Checkpoint> known = new TreeMap<>();
        kept.forEach((id, each) -> known.put(id, each.checkpoint()));
        return known;
    }

    private static boolean isPinned(Set<Pin> pins, long id) {
        return pins.stream().anyMatch(pin -> pin.checkpoint() == id);
    }
}
