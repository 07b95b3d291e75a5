// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How many kept checkpoints name each object: the reference counts, built from owners' records and never stored. Not
 * thread-safe.
 */
final class NamedObjects {
    private final JobFiles files;
    private final Map<Long, Set<String>> byCheckpoint = new TreeMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    NamedObjects(JobFiles files) {
        this.files = files;
    }

    /** Follows the log; returns the objects that were named before and are not now. */
    List<String> follow(LogState state) {
        Map<Long, Checkpoint> kept = new TreeMap<>();
        state.checkpoints().forEach(each -> kept.put(each.id(), each));
        state.pinned().forEach(each -> kept.put(each.id(), each));
        kept.forEach((id, checkpoint) -> {
            if (!byCheckpoint.containsKey(id)) {
                add(checkpoint);
            }
        });
        List<String> dropped = new ArrayList<>();
        byCheckpoint.entrySet().removeIf(entry -> {
            boolean gone = !kept.containsKey(entry.getKey());
            if (gone) {
                entry.getValue().forEach(object -> release(object, dropped));
            }
            return gone;
        });
        return dropped;
    }

    boolean isNamed(String object) {
        return counts.containsKey(object);
    }

    Set<String> all() {
        return Set.copyOf(counts.keySet());
    }

    private void add(Checkpoint checkpoint) {
        Set<String> objects = new HashSet<>();
        checkpoint
                .owners()
                .forEach((owner, parts) -> objects.addAll(Await.get(
                        files.objectsOf(parts), "read record of '" + owner + "' of checkpoint " + checkpoint.id())));
        byCheckpoint.put(checkpoint.id(), objects);
        objects.forEach(object -> counts.merge(object, 1, Integer::sum));
    }

    private void release(String object, List<String> dropped) {
        if (counts.merge(object, -1, Integer::sum) == 0) {
            counts.remove(object);
            dropped.add(object);
        }
    }
}
