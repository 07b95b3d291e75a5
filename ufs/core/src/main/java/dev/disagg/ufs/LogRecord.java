// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.LogState.Pin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One record of a job's log. docs/format/log.md draws the bytes. */
sealed interface LogRecord {
    /** The writer's epoch, or 0 for a record that carries none. */
    long epoch();

    /** What it says of everything before it, if it does. */
    default @Nullable Baseline baseline() {
        return null;
    }

    /** A process takes the job over. */
    record Epoch(long epoch, long intervalMillis) implements LogRecord {}

    /** A checkpoint is committed; others may expire by the same record. */
    record Commit(Baseline after, Checkpoint checkpoint) implements LogRecord {
        @Override
        public long epoch() {
            return after.epoch();
        }

        @Override
        public Baseline baseline() {
            return after;
        }
    }

    /** Checkpoints expire. */
    record Expire(Baseline after) implements LogRecord {
        @Override
        public long epoch() {
            return after.epoch();
        }

        @Override
        public Baseline baseline() {
            return after;
        }
    }

    /** Another job claims a checkpoint; without effect unless it is live at this place of the log. */
    record Pinned(Pin pin) implements LogRecord {
        @Override
        public long epoch() {
            return 0;
        }
    }

    /** Another job ends its claim. */
    record Unpinned(Pin pin) implements LogRecord {
        @Override
        public long epoch() {
            return 0;
        }
    }

    /**
     * All that earlier records say and later readers need, so that those may be pruned.
     *
     * @param epoch of the writer
     * @param epochNumber the log number of that epoch's record
     * @param live what is kept after this record, by id
     */
    record Baseline(
            long epoch, long epochNumber, long intervalMillis, long lastCheckpointId, List<Live> live, List<Pin> pins) {
        public Baseline {
            live = List.copyOf(live);
            pins = List.copyOf(pins);
        }
    }

    /**
     * A kept checkpoint, by reference.
     *
     * @param number of the record that carries it whole; that record is not pruned
     * @param expired kept for its pins alone
     */
    record Live(long id, long number, boolean expired) {}
}
