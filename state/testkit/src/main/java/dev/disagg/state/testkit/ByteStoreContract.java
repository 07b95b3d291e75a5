// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.ByteStore;
import dev.disagg.state.ByteStore.Parent;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.SharedRuns;
import dev.disagg.state.StateBackend;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@link ByteStore} and {@link StateBackend} promise, case by case. */
@Timeout(120)
public abstract class ByteStoreContract {
    private static final byte[] KEY = StateKeys.row(1, "cell");
    private static final int LARGE_BYTES = 64 << 20;
    private static final int LARGE_KEY_BYTES = 1000;

    private final UnifiedFileSystem files = JobFiles.open(MemoryStore.create(() -> 0), "job", 1, "p", Retries.none());
    private StateBackend backend;
    private ByteStore store;

    /** A backend over these files, with all work done on the caller's thread. */
    protected abstract StateBackend backend(UnifiedFileSystem files);

    @BeforeEach
    void open() {
        backend = backend(files);
        store = open(KeyRange.ALL);
    }

    @AfterEach
    void close() {
        store.close();
        backend.close();
    }

    private ByteStore open(KeyRange range, Parent... parents) {
        return backend.open("task", range, List.of(parents)).join().store();
    }

    private static byte[] bytes(String text) {
        return StateKeys.bytes(text);
    }

    private String get(Family family, byte[] key) {
        byte[] value = store.get(family, key).join();
        return value == null ? null : new String(value, StandardCharsets.ISO_8859_1);
    }

    private static List<ByteStore.Entry> all(ByteStore.Cursor cursor) {
        List<ByteStore.Entry> all = new ArrayList<>();
        List<ByteStore.Entry> page = cursor.next(100).join();
        while (!page.isEmpty()) {
            all.addAll(page);
            page = cursor.next(100).join();
        }
        return all;
    }

    private List<String> values(Family family) {
        return all(store.scan(family, new byte[0], null, null)).stream()
                .map(entry -> new String(entry.value(), StandardCharsets.ISO_8859_1))
                .toList();
    }

    private OwnerRecord checkpoint() {
        ByteStore.Frozen frozen = store.freeze(1, bytes("header"));
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        frozen.sealed();
        return record;
    }

    private OwnerRecord readBack(OwnerRecord record) {
        return files.readOwner(record.parts()).join();
    }

    /** The store goes and comes back from what is stored. */
    private void reopen(OwnerRecord record) {
        store.close();
        store = open(KeyRange.ALL, new Parent(KeyRange.ALL, readBack(record)));
    }

    @Test
    void appendsConcatenateBytesWithNothingBetween() {
        store.append(Family.ROWS, KEY, bytes("a"));
        store.append(Family.ROWS, KEY, new byte[0]);
        store.append(Family.ROWS, KEY, new byte[] {0, ',', 0});
        assertThat(get(Family.ROWS, KEY), is("a\0,\0"));
        reopen(checkpoint());
        store.append(Family.ROWS, KEY, bytes("z"));
        assertThat(get(Family.ROWS, KEY), is("a\0,\0z"));
    }

    @Test
    void anAppendOfNothingMakesAnEmptyValue() {
        store.append(Family.ROWS, KEY, new byte[0]);
        assertThat(get(Family.ROWS, KEY), is(""));
        reopen(checkpoint());
        assertThat(get(Family.ROWS, KEY), is(""));
    }

    @Test
    void anAppendAfterADeleteStartsAnew() {
        store.put(Family.ROWS, KEY, bytes("old"));
        OwnerRecord stored = checkpoint();
        reopen(stored);
        store.delete(Family.ROWS, KEY);
        assertThat(get(Family.ROWS, KEY), is(nullValue()));
        store.append(Family.ROWS, KEY, bytes("new"));
        assertThat(get(Family.ROWS, KEY), is("new"));
        reopen(checkpoint());
        assertThat(get(Family.ROWS, KEY), is("new"));
    }

    @Test
    void aPutReplacesWhatWasAppended() {
        store.append(Family.ROWS, KEY, bytes("tail"));
        store.put(Family.ROWS, KEY, bytes("value"));
        store.append(Family.ROWS, KEY, bytes("+"));
        assertThat(get(Family.ROWS, KEY), is("value+"));
    }

    @Test
    void familiesDoNotMeet() {
        for (Family family : Family.values()) {
            store.put(family, StateKeys.any(family, 3), bytes(family.name()));
        }
        reopen(checkpoint());
        for (Family family : Family.values()) {
            assertThat(values(family), is(List.of(family.name())));
        }
    }

    @Test
    void emptyAndLargeKeysAreTaken() {
        store.put(Family.SOURCES, new byte[0], bytes("empty"));
        byte[] name = new byte[LARGE_KEY_BYTES];
        Arrays.fill(name, (byte) 0xff);
        byte[] large = StateKeys.row(-1L, name, name);
        store.put(Family.ROWS, large, bytes("large"));
        reopen(checkpoint());
        assertThat(get(Family.SOURCES, new byte[0]), is("empty"));
        assertThat(get(Family.ROWS, large), is("large"));
        assertThat(values(Family.ROWS), is(List.of("large")));
    }

    @Test
    void aValueOf64MiBIsReadAndScanned() {
        byte[] half = new byte[LARGE_BYTES / 2];
        new Random(7).nextBytes(half);
        store.put(Family.ROWS, KEY, half.clone());
        store.append(Family.ROWS, KEY, half.clone());
        reopen(checkpoint());
        byte[] whole = Arrays.copyOf(half, LARGE_BYTES);
        System.arraycopy(half, 0, whole, half.length, half.length);
        assertThat(Arrays.equals(store.get(Family.ROWS, KEY).join(), whole), is(true));
        List<ByteStore.Entry> entries = all(store.scan(Family.ROWS, new byte[0], null, null));
        assertThat(entries.size(), is(1));
        assertThat(Arrays.equals(entries.get(0).value(), whole), is(true));
    }

    @Test
    void keysSortAsUnsignedBytes() {
        for (int last : new int[] {0x80, 0x7f, 0x00, 0xff}) {
            store.put(Family.SOURCES, new byte[] {(byte) last}, bytes(Integer.toHexString(last)));
        }
        assertThat(values(Family.SOURCES), is(List.of("0", "7f", "80", "ff")));
        List<ByteStore.Entry> some = all(store.scan(Family.SOURCES, new byte[] {0x7f}, new byte[] {(byte) 0xff}, null));
        assertThat(some.size(), is(2));
    }

    @Test
    void aScanOfOneRowSeesThatRowAlone() {
        for (String cell : List.of("a", "b")) {
            store.put(Family.ROWS, StateKeys.row(1, cell), bytes("1" + cell));
            store.put(Family.ROWS, StateKeys.row(2, cell), bytes("2" + cell));
        }
        reopen(checkpoint());
        for (int key : new int[] {1, 2, 3}) {
            byte[] from = StateKeys.row(key, "");
            byte[] to = Arrays.copyOf(from, from.length + 1);
            to[from.length] = (byte) 0xff;
            List<String> found = all(store.scan(Family.ROWS, from, to, from)).stream()
                    .map(entry -> new String(entry.value(), StandardCharsets.UTF_8))
                    .toList();
            assertThat(found, is(key == 3 ? List.of() : List.of(key + "a", key + "b")));
        }
    }

    @Test
    void aCursorIsAViewAsOfItsBeginning() {
        byte[] other = StateKeys.row(2, "cell");
        store.put(Family.ROWS, KEY, bytes("before"));
        ByteStore.Cursor cursor = store.scan(Family.ROWS, new byte[0], null, null);
        store.put(Family.ROWS, KEY, bytes("after"));
        store.put(Family.ROWS, other, bytes("new"));
        checkpoint();
        List<ByteStore.Entry> seen = all(cursor);
        assertThat(seen.size(), is(1));
        assertThat(new String(seen.get(0).value(), StandardCharsets.UTF_8), is("before"));
        assertThat("at its end", cursor.next(1).join(), is(empty()));
        cursor.close();
        cursor.close();
    }

    @Test
    void aPageHoldsAtLeastOneEntry() {
        store.put(Family.ROWS, KEY, new byte[1000]);
        try (ByteStore.Cursor cursor = store.scan(Family.ROWS, new byte[0], null, null)) {
            assertThat(cursor.next(1).join().size(), is(1));
            assertThat(cursor.next(1).join().size(), is(0));
        }
    }

    @Test
    void aKeyOfAnotherTaskIsRefused() {
        store.close();
        store = open(KeyRange.of(0, 2));
        byte[] foreign = StateKeys.row(-1L, bytes("k"), bytes("c"));
        assertThrows(Invalid.class, () -> store.put(Family.ROWS, foreign, bytes("v")));
        assertThrows(Invalid.class, () -> store.append(Family.ROWS, foreign, bytes("v")));
        assertThrows(Invalid.class, () -> store.delete(Family.ROWS, foreign));
        assertThrows(Invalid.class, () -> store.put(Family.HOLDS, new byte[15], bytes("v")));
    }

    @Test
    void aClosedStoreRefusesCallsAndItsCursorsEnd() {
        store.put(Family.ROWS, KEY, bytes("v"));
        ByteStore.Cursor cursor = store.scan(Family.ROWS, new byte[0], null, null);
        store.close();
        store.close();
        assertThrows(Invalid.class, () -> store.put(Family.ROWS, KEY, bytes("v")));
        assertThrows(Invalid.class, () -> store.get(Family.ROWS, KEY));
        assertThrows(Invalid.class, () -> store.scan(Family.ROWS, new byte[0], null, null));
        assertThrows(Invalid.class, () -> store.freeze(2, new byte[0]));
        try {
            cursor.next(10).join();
        } catch (CompletionException refused) {
            assertThat(refused.getCause() instanceof DisaggException, is(true));
        }
        cursor.close();
    }

    @Test
    void whatIsWrittenAfterAFreezeIsNotInIt() {
        store.put(Family.ROWS, KEY, bytes("frozen"));
        ByteStore.Frozen frozen = store.freeze(1, bytes("header"));
        store.put(Family.ROWS, KEY, bytes("later"));
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        frozen.sealed();
        assertThat(get(Family.ROWS, KEY), is("later"));
        reopen(record);
        assertThat(get(Family.ROWS, KEY), is("frozen"));
    }

    @Test
    void headersComeBackInTheOrderOfTheParents() {
        List<Parent> halves = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            store.close();
            store = open(KeyRange.of(half, 2));
            ByteStore.Frozen frozen = store.freeze(1, bytes("half " + half));
            Pack pack = files.createPack();
            OwnerRecord record = frozen.flush(pack).join();
            pack.seal().join();
            frozen.sealed();
            halves.add(new Parent(KeyRange.of(half, 2), readBack(record)));
        }
        ByteStore.Opened opened = backend.open("task", KeyRange.ALL, halves).join();
        assertThat(opened.headers().stream().map(String::new).toList(), equalTo(List.of("half 0", "half 1")));
        opened.store().close();
    }

    @Test
    void aCheckpointWithoutAChangeStoresNothing() {
        store.put(Family.ROWS, KEY, bytes("v"));
        OwnerRecord first = checkpoint();
        assertThat(checkpoint(), is(sameInstance(first)));
        reopen(first);
        OwnerRecord again = checkpoint();
        assertThat("nor right after a restore", again.parts(), equalTo(first.parts()));
    }

    @Test
    void whatAGivenUpCheckpointHeldIsInTheNext() {
        store.put(Family.ROWS, KEY, bytes("v"));
        ByteStore.Frozen frozen = store.freeze(1, bytes("header"));
        Pack pack = files.createPack();
        frozen.flush(pack).join();
        pack.abort();
        frozen.aborted();
        reopen(checkpoint());
        assertThat(get(Family.ROWS, KEY), is("v"));
    }

    @Test
    void aCheckpointGivenUpBeforeItIsWrittenLeavesNothing() {
        store.put(Family.ROWS, KEY, bytes("v"));
        store.freeze(1, bytes("header")).aborted();
        reopen(checkpoint());
        assertThat(get(Family.ROWS, KEY), is("v"));
    }

    @Test
    void parentsThatDoNotFitAreRefused() {
        store.put(Family.ROWS, KEY, bytes("v"));
        OwnerRecord record = readBack(checkpoint());
        for (List<Parent> wrong : List.of(
                List.of(new Parent(KeyRange.of(0, 2), record)),
                List.of(new Parent(KeyRange.ALL, record), new Parent(KeyRange.ALL, record)))) {
            CompletionException refused = assertThrows(
                    CompletionException.class,
                    () -> backend.open("task", KeyRange.of(0, 2), wrong).join());
            assertThat(refused.getCause() instanceof Invalid, is(true));
        }
    }

    @Test
    void linkedRunsAreInTheManifestUntilUnlinked() {
        SharedRun run;
        try (SharedRuns.Writer writer = backend.sharedRuns().sorting()) {
            byte[] key = HexFormat.of().parseHex("720000000000000001");
            writer.append(List.of(new ByteStore.Entry(key, bytes("shared")))).join();
            run = writer.finish().join();
        }
        store.put(Family.ROWS, KEY, bytes("v"));
        store.link(run);
        reopen(checkpoint());
        assertThat(store.linked().keySet(), equalTo(Set.of(run.name())));
        SharedRun linked = store.linked().get(run.name());
        assertThat(all(linked.row(bytes("r"))).size(), is(1));
        assertThat(get(Family.ROWS, KEY), is("v"));
        store.unlink(run.name());
        reopen(checkpoint());
        assertThat(store.linked().keySet(), is(empty()));
        assertThat(get(Family.ROWS, KEY), is("v"));
        run.release();
    }

    @Test
    void memoryIsCounted() {
        long before = store.memoryBytes();
        for (int i = 0; i < 10; i++) {
            store.put(Family.ROWS, StateKeys.row(i, "c"), new byte[1000]);
        }
        assertThat(store.memoryBytes() > before, is(true));
    }
}
