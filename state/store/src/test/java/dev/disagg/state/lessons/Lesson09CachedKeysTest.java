// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.cell.CollectionCell;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.ValueCell;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lesson 9: an encoded key is used for what it was encoded for, and a codec by one thread. */
class Lesson09CachedKeysTest {
    private final GatedStore store = new GatedStore();

    private static CollectionCell map(TaskState state, String key, String window) {
        return GatedStore.key(state, key).row(1000, GatedStore.bytes(window)).collection(state.cellId("step", "map"));
    }

    private static String at(CollectionCell map, String sub) {
        byte[] value = map.get(GatedStore.bytes(sub)).join();
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    @Test
    void encodedKeyIsNotTakenForAnotherMapKeyWindowOrKey() {
        TaskState writing = store.state(1 << 20);
        List<String> names = List.of("a", "b", "ab", "");
        for (String key : names) {
            for (String window : names) {
                for (String sub : names) {
                    map(writing, key, window)
                            .put(GatedStore.bytes(sub), GatedStore.bytes(key + "/" + window + "/" + sub));
                }
            }
        }
        writing.freeze(1, new byte[0]).aborted();
        TaskState reading = store.state(1 << 20);
        for (String sub : names) {
            for (String window : names) {
                for (String key : names) {
                    CollectionCell map = map(reading, key, window);
                    map.fetch();
                    assertThat(at(map, sub), is(key + "/" + window + "/" + sub));
                    assertThat("read again", at(map, sub), is(key + "/" + window + "/" + sub));
                }
            }
        }
    }

    @Test
    void codecIsCalledByTheLeaderAloneWhoeverCompletesReads() throws InterruptedException {
        Codecs codec = new Codecs();
        TaskState writing = store.state(1 << 20);
        for (int i = 0; i < 20; i++) {
            value(writing, "key-" + i, codec).write((long) i);
        }
        writing.freeze(1, new byte[0]).aborted();
        TaskState reading = store.state(1 << 20);
        store.gated = true;
        for (int i = 0; i < 20; i++) {
            GatedStore.key(reading, "key-" + i).globalRow().fetch();
        }
        store.open();
        for (int i = 0; i < 20; i++) {
            Row row = GatedStore.key(reading, "key-" + i).globalRow();
            assertThat(row.resident(), is(true));
            assertThat(value(reading, "key-" + i, codec).read(), is((long) i));
        }
        assertThat(codec.threads, containsInAnyOrder(Thread.currentThread()));
    }

    private static ValueCell<Long> value(TaskState state, String key, Codecs codec) {
        return GatedStore.key(state, key).globalRow().value(state.cellId("step", "value"), codec);
    }
}
