// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The events of a test, in the order in which they are sent; a sixth of them are sent again later. */
final class Events {
    record Event(String key, String id) {}

    private final List<Event> all = new ArrayList<>();
    /** Per key its ids, in the order in which they first come. */
    private final Map<String, List<String>> expected = new LinkedHashMap<>();

    Events(long seed, int count, int keys) {
        Random random = new Random(seed);
        Map<String, Set<String>> ids = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            Event event = i > 0 && random.nextInt(6) == 0
                    ? all.get(random.nextInt(all.size()))
                    : new Event("key-" + random.nextInt(keys), "id-" + i);
            all.add(event);
            ids.computeIfAbsent(event.key(), key -> new LinkedHashSet<>()).add(event.id());
        }
        ids.forEach((key, set) -> expected.put(key, List.copyOf(set)));
    }

    List<Event> all() {
        return Collections.unmodifiableList(all);
    }

    /** What the counts are when each event has counted once: per key, the id that made the count 1, 2, and so on. */
    Map<String, List<String>> expected() {
        return Collections.unmodifiableMap(expected);
    }
}
