// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.memory.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PackTest {
    private final MemoryStore memory = MemoryStore.create(() -> 0L);
    private final CountingStore store = new CountingStore(memory);
    private final JobFiles files = JobFiles.open(store, "job", 3, "p", Retries.none());

    private static ByteBuffer random(int seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    @Test
    void packOfNothingPutsNothing() {
        Await.get(files.createPack().seal(), "seal");
        assertThat(store.counts().total(), is(0L));
    }

    @Test
    void smallPackIsOnePutAndItsFilesReadBack() {
        Pack pack = files.createPack();
        ByteBuffer reused = ByteBuffer.allocate(8);
        List<ObjectRange> ranges = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reused.clear();
            reused.putInt(i).flip();
            ranges.add(pack.append(List.of(reused, ByteBuffer.wrap(new byte[] {(byte) i}))));
        }
        Await.get(pack.seal(), "seal");
        assertThat(store.counts().writes(), is(1L));
        assertThat(store.counts().puts(), is(1L));
        for (int i = 0; i < 100; i++) {
            assertThat(ranges.get(i), is(new ObjectRange("job/data/3-p-0", i * 5L, 5)));
            assertThat(Await.get(files.read(ranges.get(i), 0, 4), "read").getInt(), is(i));
            assertThat(Await.get(files.read(ranges.get(i), 4, 1), "read").get(), is((byte) i));
        }
    }

    @Test
    void largePackIsStreamedAsOneObject() {
        Pack pack = files.createPack();
        List<ObjectRange> ranges = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ranges.add(pack.append(List.of(random(i, 1_000_000))));
        }
        Await.get(pack.seal(), "seal");
        assertThat(store.counts().writes(), is(1L));
        assertThat(store.counts().streamedPuts(), is(1L));
        for (int i = 0; i < 12; i++) {
            assertThat(Await.get(files.read(ranges.get(i), 0, 1_000_000), "read"), equalTo(random(i, 1_000_000)));
        }
    }

    @Test
    void abortedPackLeavesNothing() {
        for (int files : new int[] {1, 6}) {
            Pack pack = this.files.createPack();
            for (int i = 0; i < files; i++) {
                pack.append(List.of(random(i, 1_000_000)));
            }
            pack.abort();
            pack.abort();
            assertThrows(Invalid.class, () -> pack.append(List.of(random(0, 1))));
            assertThrows(Invalid.class, () -> Await.get(pack.seal(), "seal"));
        }
        assertThat(Await.get(memory.list("", "", 10), "list"), is(empty()));
    }

    @Test
    void sealedPackTakesNoMoreAndSealsOnce() {
        Pack pack = files.createPack();
        ObjectRange range = pack.append(List.of(random(0, 10)));
        Await.get(pack.seal(), "seal");
        Await.get(pack.seal(), "seal");
        pack.abort();
        assertThrows(Invalid.class, () -> pack.append(List.of(random(0, 1))));
        assertThat(Await.get(memory.size(range.object()), "size"), is(OptionalLong.of(10)));
        assertThat(store.counts().writes(), is(1L));
    }

    @Test
    void readingAFileBeingWrittenIsAnErrorThatSaysSo() {
        Pack pack = files.createPack();
        ObjectRange range = pack.append(List.of(random(0, 10)));
        Invalid error = assertThrows(Invalid.class, () -> Await.get(files.read(range, 0, 1), "read"));
        assertThat(error.getMessage(), containsString("still being written"));
        try (UnifiedFileSystem.ObjectFile file = files.createFile()) {
            file.write(random(0, 10));
            ObjectRange part = new ObjectRange(file.object(), 0, 10);
            assertThrows(Invalid.class, () -> Await.get(files.read(part, 0, 1), "read"));
            Await.get(file.finish(), "finish");
            assertThat(Await.get(files.read(part, 0, 10), "read"), equalTo(random(0, 10)));
        }
    }

    @Test
    void readOutsideOfAFileIsInvalidEvenInsideOfItsObject() {
        Pack pack = files.createPack();
        ObjectRange first = pack.append(List.of(random(0, 10)));
        pack.append(List.of(random(1, 10)));
        Await.get(pack.seal(), "seal");
        assertThrows(Invalid.class, () -> Await.get(files.read(first, 5, 6), "read"));
        assertThrows(Invalid.class, () -> Await.get(files.read(first, -1, 1), "read"));
        assertThat(Await.get(files.read(first, 10, 0), "read").remaining(), is(0));
    }

    @Test
    void truncatedObjectIsCorruptAndNamed() {
        Await.get(memory.put("job/data/1-q-0", ByteBuffer.wrap(new byte[5])), "put");
        ObjectRange longer = new ObjectRange("job/data/1-q-0", 0, 10);
        Corrupt error = assertThrows(Corrupt.class, () -> Await.get(files.read(longer, 0, 10), "read"));
        assertThat(error.getMessage(), containsString("truncated"));
    }

    @Test
    void givenUpFileIsDeletedAtOnceUnlessSomethingNamedIt() {
        ObjectRange abandoned = file();
        files.discard(abandoned.object());
        assertThat(Await.get(memory.size(abandoned.object()), "size"), is(OptionalLong.empty()));

        ObjectRange named = file();
        Pack pack = files.createPack();
        files.emptyOwner().with(List.of(new Link("a", named, new byte[0])), List.of(), new byte[0], pack);
        files.discard(named.object());
        assertThat(Await.get(memory.size(named.object()), "size"), is(OptionalLong.of(10)));

        JobFiles other = JobFiles.open(store, "job", 3, "other", Retries.none());
        ObjectRange foreign = file();
        other.discard(foreign.object());
        assertThat(Await.get(memory.size(foreign.object()), "size"), is(OptionalLong.of(10)));
    }

    private ObjectRange file() {
        try (UnifiedFileSystem.ObjectFile file = files.createFile()) {
            file.write(random(0, 10));
            return Await.get(file.finish(), "finish");
        }
    }

    @Test
    void fileClosedBeforeItsEndLeavesNothing() {
        try (UnifiedFileSystem.ObjectFile file = files.createFile()) {
            file.write(random(0, 6_000_000));
        }
        assertThat(Await.get(memory.list("", "", 10), "list"), is(empty()));
    }

    @Test
    void readerCannotWrite() {
        JobFiles reader = JobFiles.reader(store, "job", Retries.none());
        assertThrows(Invalid.class, reader::createPack);
        assertThrows(Invalid.class, reader::createFile);
    }

    @Test
    void namesOfTwoWritersNeverMeet() {
        assertThat(
                JobFiles.open(store, "job", 4, "p", Retries.none()).createFile().object(), is("job/data/4-p-0"));
        assertThat(
                JobFiles.open(store, "job", 4, "q", Retries.none()).createFile().object(), is("job/data/4-q-0"));
        assertThrows(Invalid.class, () -> JobFiles.open(store, "job/x", 4, "p", Retries.none()));
        assertThrows(Invalid.class, () -> JobFiles.open(store, "job", 0, "p", Retries.none()));
    }
}
