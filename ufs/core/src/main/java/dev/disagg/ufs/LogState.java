// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a job's log says at one moment. Immutable.
 *
 * @param next the first number that no record is known to have
 * @param epoch the newest epoch, 0 when the job never began one
 * @param checkpointInterval of that epoch; zero when checkpoints are off
 * @param lastCheckpointId the largest id ever committed, 0 when none
 * @param checkpoints committed and not expired, oldest first
 * @param pinned expired but kept because another job still needs their objects, oldest first
 * @param pins who needs which checkpoint
 */
public record LogState(
        long next,
        long epoch,
        Duration checkpointInterval,
        long lastCheckpointId,
        List<Checkpoint> checkpoints,
        List<Checkpoint> pinned,
        Set<Pin> pins) {

    /**
     * Another job's claim on a checkpoint of this one.
     *
     * @param holder who holds it, usually the other job's name
     * @param checkpoint id in this job's log
     */
    public record Pin(String holder, long checkpoint) {
        public Pin {
            if (holder.isEmpty() || checkpoint < 1) {
                throw new Invalid("a pin needs a holder ('" + holder + "') and a checkpoint's id (" + checkpoint + ")");
            }
        }
    }

    /** The newest checkpoint that is not expired. */
    public Optional<Checkpoint> newest() {
        return checkpoints.isEmpty() ? Optional.empty() : Optional.of(checkpoints.get(checkpoints.size() - 1));
    }

    /** The checkpoint of this id, if it is not expired. */
    public Optional<Checkpoint> checkpoint(long id) {
        return checkpoints.stream().filter(each -> each.id() == id).findFirst();
    }
}
