// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one process knows without asking the store: which objects it is writing, which of its own nobody has named yet,
 * and which objects the records that it has seen lately name. Thread-safe.
 */
final class OwnedObjects {
    /** Records that a sweep may ask for: those of the tasks of a process, for a few checkpoints. */
    private static final int MAX_RECORDS = 4096;

    private final Set<String> writing = new HashSet<>();
    private final Set<String> unnamed = new HashSet<>();
    private final Map<List<ObjectRange>, Set<String>> namedBy = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<ObjectRange>, Set<String>> eldest) {
            return size() > MAX_RECORDS;
        }
    };

    synchronized void begin(String object) {
        writing.add(object);
    }

    synchronized boolean isWriting(String object) {
        return writing.contains(object);
    }

    synchronized void end(String object) {
        writing.remove(object);
    }

    /** A finished file that its task may still give up. */
    synchronized void mayBeDiscarded(String object) {
        unnamed.add(object);
    }

    /** From now on only the sweep deletes it. */
    synchronized void named(String object) {
        unnamed.remove(object);
    }

    /** Whether it was this process's and unnamed; it is not any more. */
    synchronized boolean takeUnnamed(String object) {
        return unnamed.remove(object);
    }

    void remember(OwnerRecord record) {
        Set<String> objects = new HashSet<>();
        record.parts().forEach(part -> objects.add(part.object()));
        record.links().values().forEach(link -> objects.add(link.range().object()));
        Set<String> kept = Set.copyOf(objects);
        synchronized (this) {
            namedBy.put(record.parts(), kept);
        }
    }

    synchronized Optional<Set<String>> namedBy(List<ObjectRange> parts) {
        return Optional.ofNullable(namedBy.get(parts));
    }
}
