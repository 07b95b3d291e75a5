// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.BackendContext;
import dev.disagg.state.ByteStore;
import dev.disagg.state.ByteStore.Parent;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.StateBackends;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What this backend does in its own way: files, uploads, native objects, the local directory. */
@Timeout(240)
class RocksBackendTest {
    /** Each waits for the disk several times: all of them by night. */
    private static final int ROUNDS = Boolean.getBoolean("disagg.night") ? 1000 : 100;

    private static final int LARGE_TABLE_BYTES = 6 << 20;

    @TempDir
    Path local;

    private final MemoryUfs ufs = new MemoryUfs();
    private final List<StateBackend> opened = new ArrayList<>();

    private RocksBackend backend(long memoryBytes) {
        RocksBackend backend =
                new RocksBackend(new BackendContext(ufs, Runnable::run, Runnable::run, memoryBytes, local));
        opened.add(backend);
        return backend;
    }

    @AfterEach
    void end() {
        opened.forEach(StateBackend::close);
    }

    private static ByteStore open(StateBackend backend, Parent... parents) {
        return backend.open("task", KeyRange.ALL, List.of(parents)).join().store();
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(28).putLong(number * 0x9E3779B97F4A7C15L).array();
    }

    /** Does not compress. */
    private static byte[] noise(long seed, int bytes) {
        byte[] noise = new byte[bytes];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    private OwnerRecord checkpoint(ByteStore store) {
        ByteStore.Frozen frozen = store.freeze(1, new byte[0]);
        Pack pack = ufs.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        frozen.sealed();
        return record;
    }

    private static Set<String> tables(OwnerRecord record) {
        return record.links().keySet().stream().filter(RocksFile::isTable).collect(Collectors.toSet());
    }

    private long filesUnder(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> !file.toString().endsWith(".lock"))
                    .filter(Files::isRegularFile)
                    .count();
        }
    }

    @Test
    void itIsFoundByItsName() {
        StateBackend backend = StateBackends.named("rocksdb")
                .open(new BackendContext(ufs, Runnable::run, Runnable::run, 8 << 20, local));
        opened.add(backend);
        assertThat(backend.name(), is("rocksdb"));
        assertThat(
                assertThrows(Invalid.class, () -> StateBackends.named("leveldb"))
                        .getMessage(),
                containsString("unknown; use disagg or heap or rocksdb"));
    }

    @Test
    void noNativeObjectAndNoFileIsLeftAfterManyRounds() throws IOException {
        RocksBackend backend = backend(4 << 20);
        int shared = backend.openHandles();
        OwnerRecord record = null;
        for (int round = 0; round < ROUNDS; round++) {
            ByteStore store =
                    record == null || round % 10 == 0 ? open(backend) : open(backend, new Parent(KeyRange.ALL, record));
            store.put(Family.ROWS, key(round), new byte[100]);
            ByteStore.Cursor left = store.scan(Family.ROWS, new byte[0], null, null);
            left.next(1).join();
            try (ByteStore.Cursor closed = store.scan(Family.ROWS, new byte[0], key(3), null)) {
                closed.next(1).join();
            }
            if (round % 2 == 0) {
                record = checkpoint(store);
            } else {
                store.freeze(1, new byte[0]).aborted();
            }
            store.close();
            assertThat(backend.openHandles(), is(shared));
        }
        assertThat("of stores that are closed", filesUnder(local), is(0L));
        backend.close();
        assertThat(backend.openHandles(), is(0));
        assertThat(Files.exists(backend.directory()), is(false));
    }

    @Test
    void closingTheBackendClosesItsStores() {
        RocksBackend backend = backend(4 << 20);
        ByteStore store = open(backend);
        store.put(Family.ROWS, key(1), new byte[10]);
        store.scan(Family.ROWS, new byte[0], null, null);
        backend.close();
        assertThat(backend.openHandles(), is(0));
        assertThrows(Invalid.class, () -> store.get(Family.ROWS, key(1)));
        store.close();
        CompletionException refused = assertThrows(CompletionException.class, () -> open(backend));
        assertThat(refused.getCause(), instanceOf(Invalid.class));
    }

    @Test
    void aCheckpointUploadsNewTablesAlone() {
        ByteStore store = open(backend(64 << 20));
        store.put(Family.ROWS, key(1), noise(1, 1000));
        OwnerRecord first = checkpoint(store);
        store.put(Family.ROWS, key(2), noise(2, 1000));
        OwnerRecord second = checkpoint(store);
        assertThat(tables(first).size(), is(1));
        assertThat(tables(second).size(), is(2));
        for (String table : tables(first)) {
            assertThat(
                    second.links().get(table).range(),
                    is(first.links().get(table).range()));
        }
        store.close();
    }

    @Test
    void afterARestoreTablesOfTheParentsAreLinked() {
        ByteStore store = open(backend(64 << 20));
        for (int i = 0; i < 200; i++) {
            store.put(Family.ROWS, key(i), noise(i, 100));
        }
        OwnerRecord parent = checkpoint(store);
        store.close();
        for (int half = 0; half < 2; half++) {
            ByteStore child = backend(64 << 20)
                    .open("half", KeyRange.of(half, 2), List.of(new Parent(KeyRange.ALL, parent)))
                    .join()
                    .store();
            OwnerRecord own = checkpoint(child);
            for (String table : tables(parent)) {
                assertThat(
                        own.links().get(table).range(),
                        is(parent.links().get(table).range()));
            }
            child.close();
        }
    }

    @Test
    void aLargeTableHasAnObjectOfItsOwnThatOutlivesAGivenUpCheckpoint() {
        RocksBackend backend = backend(256 << 20);
        ByteStore store = open(backend);
        store.put(Family.ROWS, key(1), noise(1, LARGE_TABLE_BYTES));
        ByteStore.Frozen frozen = store.freeze(1, new byte[0]);
        Pack pack = ufs.createPack();
        OwnerRecord given = frozen.flush(pack).join();
        pack.abort();
        frozen.aborted();
        Link large = given.links().get(tables(given).iterator().next());
        assertThat(large.range().offset(), is(0L));
        store.put(Family.ROWS, key(2), noise(2, 10));
        OwnerRecord next = checkpoint(store);
        assertThat(next.links().get(large.name()).range(), is(large.range()));
        store.close();
    }

    @Test
    void anObjectThatNoManifestNamedIsDeletedWhenItsTableIsGone() {
        RocksBackend backend = backend(256 << 20);
        ByteStore store = open(backend);
        store.put(Family.ROWS, key(1), noise(1, LARGE_TABLE_BYTES));
        ufs.beforeCall = call -> {
            if (call.startsWith("put") && !ufs.objects.isEmpty()) {
                throw new Failed("no more");
            }
        };
        store.put(Family.HOLDS, new byte[16], noise(2, LARGE_TABLE_BYTES));
        ByteStore.Frozen frozen = store.freeze(1, new byte[0]);
        assertThrows(
                CompletionException.class, () -> frozen.flush(ufs.createPack()).join());
        frozen.aborted();
        assertThat(ufs.objects.size(), is(1));
        String stranded = ufs.objects.keySet().iterator().next();
        // Compaction, in the background, merges tables that are not too small with the one that was uploaded.
        for (int i = 0; i < 200 && ufs.discarded.isEmpty(); i++) {
            store.put(Family.ROWS, key(1), noise(i, 400_000));
            store.put(Family.HOLDS, new byte[16], noise(i, 400_000));
            store.freeze(1, new byte[0]).aborted();
        }
        assertThat(ufs.discarded, is(List.of(stranded)));
        store.close();
    }

    @Test
    void aDamagedFileIsNamed() {
        ByteStore store = open(backend(64 << 20));
        store.put(Family.ROWS, key(1), noise(1, LARGE_TABLE_BYTES));
        OwnerRecord record = checkpoint(store);
        Link table = record.links().get(tables(record).iterator().next());
        ufs.objects.get(table.range().object())[LARGE_TABLE_BYTES / 2] ^= 1;
        RocksBackend other = backend(64 << 20);
        CompletionException failed =
                assertThrows(CompletionException.class, () -> open(other, new Parent(KeyRange.ALL, record)));
        assertThat(failed.getCause(), instanceOf(Corrupt.class));
        assertThat(
                failed.getCause().getMessage(),
                allOf(containsString(table.name()), containsString(table.range().object())));
    }

    @Test
    void aFailedOpenLeavesNothing() throws IOException {
        RocksBackend writer = backend(64 << 20);
        ByteStore store = open(writer);
        store.put(Family.ROWS, key(1), noise(1, 100));
        OwnerRecord record = checkpoint(store);
        store.close();
        int shared = writer.openHandles();
        ufs.beforeCall = call -> {
            throw new Failed("the store is gone");
        };
        assertThrows(CompletionException.class, () -> open(writer, new Parent(KeyRange.ALL, record)));
        assertThat(writer.openHandles(), is(shared));
        assertThat(filesUnder(local), is(0L));
    }

    @Test
    void anotherBackendRefusesItsCheckpointsByName() {
        ByteStore store = open(backend(64 << 20));
        store.put(Family.ROWS, key(1), new byte[10]);
        OwnerRecord record = checkpoint(store);
        store.close();
        CompletionException refused = assertThrows(
                CompletionException.class,
                () -> open(new HeapBackend(ufs, Runnable::run), new Parent(KeyRange.ALL, record)));
        assertThat(refused.getCause(), instanceOf(Invalid.class));
        assertThat(
                refused.getCause().getMessage(),
                allOf(containsString("--stateBackend=rocksdb"), containsString("--stateBackend=disagg or heap")));
    }

    @Test
    void twoProcessesNeverShareADirectoryAndAKilledOnesIsCleaned() throws IOException {
        RocksBackend one = backend(4 << 20);
        RocksBackend other = backend(4 << 20);
        assertThat(other.directory(), is(not(one.directory())));
        Path left = other.directory();
        other.close();
        // As after SIGKILL: files, and a lock that nobody holds.
        Files.createDirectories(left.resolve("0/db"));
        Files.writeString(left.resolve("0/db/000007.sst"), "left behind");
        RocksBackend third = backend(4 << 20);
        assertThat(third.directory(), is(left));
        assertThat(filesUnder(left), is(0L));
        one.close();
        Files.createDirectories(left.resolveSibling("7"));
        Files.createFile(left.resolveSibling("7.lock"));
        for (int i = 2; i < 7; i++) {
            Files.createFile(left.resolveSibling(i + ".lock"));
        }
        RocksBackend fourth = backend(4 << 20);
        assertThat(fourth.directory(), is(one.directory()));
        assertThat("all that nobody uses", Files.exists(left.resolveSibling("7")), is(false));
        assertThat("but not what somebody does", Files.exists(third.directory()), is(true));
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.createFile(local.resolve("file"));
        Failed failed = assertThrows(
                Failed.class,
                () -> new RocksBackend(new BackendContext(ufs, Runnable::run, Runnable::run, 4 << 20, file)));
        assertThat(failed.getMessage(), allOf(containsString(file.toString()), containsString("--stateCacheDir")));
    }

    @Test
    void aMissingNativeLibraryIsToldWithARemedy() {
        Failed failed = assertThrows(
                Failed.class,
                () -> new RocksBackend(new BackendContext(ufs, Runnable::run, Runnable::run, 4 << 20, local), () -> {
                    throw new UnsatisfiedLinkError("librocksdbjni: cannot open shared object file");
                }));
        assertThat(
                failed.getMessage(),
                allOf(containsString(System.getProperty("os.arch")), containsString("--stateBackend=disagg")));
    }

    @Test
    void closingWaitsForACallThatRuns() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 20; round++) {
                ByteStore store = open(backend(8 << 20));
                for (int i = 0; i < 100; i++) {
                    store.put(Family.ROWS, key(i), new byte[1000]);
                }
                Future<?> reads = threads.submit(() -> {
                    try {
                        while (true) {
                            store.get(Family.ROWS, key(7)).join();
                            store.scan(Family.ROWS, new byte[0], null, null)
                                    .next(5000)
                                    .join();
                        }
                    } catch (Invalid closed) {
                        assertThat(closed.getMessage(), containsString("closed"));
                    } catch (CompletionException closed) {
                        assertThat(closed.getCause(), instanceOf(Invalid.class));
                    }
                });
                store.close();
                reads.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void memoryStaysWithinItsBound() {
        long memoryBytes = 8 << 20;
        RocksBackend backend = backend(memoryBytes);
        ByteStore store = open(backend);
        long most = 0;
        for (int i = 0; i < 40_000; i++) {
            store.put(Family.ROWS, key(i), noise(i, 1000));
            if (i % 100 == 0) {
                store.get(Family.ROWS, key(i / 2)).join();
                most = Math.max(most, backend.nativeBytes());
            }
        }
        assertThat(most, is(greaterThan(memoryBytes / 4)));
        assertThat("40 MB of state in 8 MB of memory", most, is(lessThan(memoryBytes * 3 / 2)));
        assertThat(store.memoryBytes(), is(lessThan(memoryBytes)));
        store.close();
    }
}
