// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What has been read from the results. A result may come again, but it must be the same. */
final class Counts {
    private final Map<String, SortedMap<Long, String>> ids = new HashMap<>();
    private final List<String> contradictions = new ArrayList<>();
    private int records;
    private int distinct;

    void add(ConsumerRecord<String, String> result) {
        int space = result.value().indexOf(' ');
        long count = Long.parseLong(result.value().substring(0, space));
        String id = result.value().substring(space + 1);
        String before =
                ids.computeIfAbsent(result.key(), key -> new TreeMap<>()).putIfAbsent(count, id);
        records++;
        if (before == null) {
            distinct++;
        } else if (!before.equals(id)) {
            contradictions.add(result.key() + " had the count " + count + " by " + before + " and by " + id);
        }
    }

    /** All results, with those that came again. */
    int records() {
        return records;
    }

    int distinct() {
        return distinct;
    }

    List<String> contradictions() {
        return contradictions;
    }

    /** Per key the ids in the order of their counts. Counts that are missing are named in their place. */
    Map<String, List<String>> inOrder() {
        Map<String, List<String>> ordered = new HashMap<>();
        ids.forEach((key, byCount) -> {
            List<String> list = new ArrayList<>();
            byCount.forEach((count, id) -> {
                while (list.size() + 1 < count) {
                    list.add("(missing)");
                }
                list.add(id);
            });
            ordered.put(key, list);
        });
        return ordered;
    }
}
