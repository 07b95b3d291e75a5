// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lesson 18: eviction that finds nothing to evict ends. */
class Lesson18EvictionEndsTest {
    private static final int KEYS = 2000;

    private final GatedStore store = new GatedStore();
    private final TaskState state = store.state(0);

    @Test
    void evictionEndsWhenEverythingIsPinned() {
        List<KeyEntry> pinned = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            KeyEntry entry = GatedStore.key(state, "key-" + i);
            entry.pin();
            entry.globalRow().value(state.cellId("step", "value"), new Codecs()).write((long) i);
            pinned.add(entry);
        }
        for (int i = 0; i < 100; i++) {
            state.maintain();
        }
        assertThat(state.metrics().cachedKeys(), is(KEYS));
        pinned.forEach(KeyEntry::unpin);
        for (int i = 0; i < 100; i++) {
            state.maintain();
        }
        assertThat("once nothing is pinned", state.metrics().cachedBytes(), is(0L));
    }

    @Test
    void evictionEndsWhenEverythingIsBeingRead() throws InterruptedException {
        store.gated = true;
        for (int i = 0; i < KEYS; i++) {
            GatedStore.key(state, "key-" + i).globalRow().fetch();
        }
        for (int i = 0; i < 100; i++) {
            state.maintain();
        }
        assertThat(state.metrics().cachedKeys(), is(KEYS));
        store.open();
        store.gated = false;
        for (int i = 0; i < 100; i++) {
            state.maintain();
        }
        assertThat("once all was read", state.metrics().cachedKeys(), is(0));
    }
}
