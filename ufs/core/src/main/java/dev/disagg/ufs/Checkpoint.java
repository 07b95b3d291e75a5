// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A committed set of links: for each owner (a task, or the job itself) where its record is stored. Immutable.
 *
 * @param id larger than every earlier one of the job
 * @param epoch of the process that commits it
 * @param savepoint made on request; nobody expires it on its own
 * @param owners owner's name to {@link OwnerRecord#parts()}
 * @param attributes of the runner, opaque and small; never modified
 */
public record Checkpoint(
        long id, long epoch, boolean savepoint, Map<String, List<ObjectRange>> owners, byte[] attributes) {
    public Checkpoint {
        if (id < 1 || epoch < 1) {
            throw new Invalid("a checkpoint's id (" + id + ") and epoch (" + epoch + ") start at 1");
        }
        TreeMap<String, List<ObjectRange>> sorted = new TreeMap<>();
        owners.forEach((owner, parts) -> sorted.put(owner, List.copyOf(parts)));
        owners = Collections.unmodifiableMap(sorted);
    }
}
