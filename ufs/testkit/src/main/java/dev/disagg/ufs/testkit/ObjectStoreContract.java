// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Await;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStore.Listed;
import dev.disagg.ufs.ObjectStore.ObjectWriter;
import dev.disagg.ufs.ObjectStore.PutResult;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link ObjectStore} must do. A subclass says how to open one; each test gets a fresh, empty store.
 */
public abstract class ObjectStoreContract {
    private static final int RACERS = 32;

    private ObjectStore store;

    /** A fresh, empty store; closed by the contract. */
    protected abstract ObjectStore open() throws Exception;

    /** Another handle on the store of this test, as another process would have, or the same one. */
    protected ObjectStore another(ObjectStore opened) {
        return opened;
    }

    /** How many bytes the large-object tests use; more than one part of a multipart upload. */
    protected int largeBytes() {
        return 12 << 20;
    }

    @BeforeEach
    void openStore() throws Exception {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void putThenReadGivesTheBytes() {
        put("a/b/c", "hello");
        assertThat(read("a/b/c", 0, 5), is("hello"));
    }

    @Test
    void putIsSeenByAnotherHandle() {
        put("shared", "x");
        assertThat(text(Await.get(another(store).read("shared", 0, 1), "read")), is("x"));
    }

    @Test
    void putTakesOnlyTheRemainingBytesAndLeavesTheBufferReadable() {
        ByteBuffer bytes = ByteBuffer.wrap("..abc..".getBytes(StandardCharsets.UTF_8));
        bytes.position(2).limit(5);
        Await.get(store.put("slice", bytes), "put");
        assertThat(size("slice"), is(OptionalLong.of(3)));
        assertThat(read("slice", 0, 3), is("abc"));
    }

    @Test
    void putOfADirectBufferWorks() {
        ByteBuffer direct = ByteBuffer.allocateDirect(3);
        direct.put(new byte[] {'x', 'y', 'z'}).flip();
        Await.get(store.put("direct", direct), "put");
        assertThat(read("direct", 0, 3), is("xyz"));
    }

    @Test
    void putOfTheSameBytesAgainSucceeds() {
        put("again", "same");
        put("again", "same");
        assertThat(read("again", 0, 4), is("same"));
    }

    @Test
    void zeroLengthObjectExists() {
        put("empty", "");
        assertThat(size("empty"), is(OptionalLong.of(0)));
        assertThat(read("empty", 0, 0), is(""));
        assertThat(names(list("empty", "", 10)), contains("empty"));
    }

    @Test
    void everyByteValueSurvives() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        Await.get(store.put("bytes", ByteBuffer.wrap(all)), "put");
        assertThat(Await.get(store.read("bytes", 0, 256), "read"), is(ByteBuffer.wrap(all)));
    }

    @Test
    void sizeOfAnAbsentObjectIsEmpty() {
        assertThat(size("nobody"), is(OptionalLong.empty()));
    }

    @Test
    void sizeOfADirectoryOfObjectsIsEmpty() {
        put("d/e/f", "x");
        assertThat(size("d/e"), is(OptionalLong.empty()));
    }

    @Test
    void readOfAnAbsentObjectIsInvalidAndNamesIt() {
        assertThat(failure(store.read("absent/object", 0, 1)).getMessage(), containsString("absent/object"));
        assertThat(failure(store.read("absent/object", 0, 1)), instanceOf(Invalid.class));
    }

    @Test
    void readOfADirectoryOfObjectsIsInvalid() {
        put("d/e/f", "x");
        assertThat(failure(store.read("d/e", 0, 1)), instanceOf(Invalid.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 9})
    void readFromEveryOffsetGivesTheRest(int offset) {
        put("digits", "0123456789");
        assertThat(read("digits", offset, 10 - offset), is("0123456789".substring(offset)));
    }

    @Test
    void readInTheMiddleGivesExactlyTheRange() {
        put("digits", "0123456789");
        assertThat(read("digits", 3, 4), is("3456"));
    }

    @Test
    void zeroLengthReadIsEmpty() {
        put("digits", "0123456789");
        assertThat(read("digits", 4, 0), is(""));
        assertThat(read("digits", 10, 0), is(""));
    }

    @Test
    void readPastTheEndIsInvalid() {
        put("digits", "0123456789");
        assertThat(failure(store.read("digits", 8, 3)), instanceOf(Invalid.class));
        assertThat(failure(store.read("digits", 11, 1)), instanceOf(Invalid.class));
    }

    @Test
    void readWithANegativeOffsetOrLengthIsInvalid() {
        put("digits", "0123456789");
        assertThat(failure(store.read("digits", -1, 1)), instanceOf(Invalid.class));
        assertThat(failure(store.read("digits", 0, -1)), instanceOf(Invalid.class));
    }

    @Test
    void readResultsAreIndependent() {
        put("digits", "0123456789");
        ByteBuffer first = Await.get(store.read("digits", 0, 10), "read");
        ByteBuffer second = Await.get(store.read("digits", 0, 10), "read");
        first.position(5);
        assertThat(text(second), is("0123456789"));
    }

    @Test
    void putIfAbsentCreatesOnce() {
        assertThat(putIfAbsent("once", "first"), is(PutResult.CREATED));
        assertThat(putIfAbsent("once", "other"), is(PutResult.EXISTS));
        assertThat(read("once", 0, 5), is("first"));
    }

    @Test
    void putIfAbsentOfTheSameBytesSaysThatTheyExist() {
        putIfAbsent("once", "first");
        assertThat(putIfAbsent("once", "first"), is(PutResult.EXISTS));
    }

    @Test
    void putIfAbsentSeesWhatPutWrote() {
        put("taken", "x");
        assertThat(putIfAbsent("taken", "y"), is(PutResult.EXISTS));
    }

    @Test
    void putIfAbsentWorksAgainAfterADelete() {
        putIfAbsent("again", "1");
        delete("again");
        assertThat(putIfAbsent("again", "2"), is(PutResult.CREATED));
        assertThat(read("again", 0, 1), is("2"));
    }

    @Test
    void ofManyRacersExactlyOneCreatesAndItsBytesAreThere() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(RACERS);
        try {
            for (int round = 0; round < 5; round++) {
                String name = "race/" + round;
                CountDownLatch start = new CountDownLatch(1);
                List<CompletableFuture<PutResult>> answers = new ArrayList<>();
                for (int racer = 0; racer < RACERS; racer++) {
                    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {(byte) racer});
                    ObjectStore handle = racer % 2 == 0 ? store : another(store);
                    answers.add(CompletableFuture.supplyAsync(
                                    () -> {
                                        await(start);
                                        return handle.putIfAbsent(name, bytes);
                                    },
                                    pool)
                            .thenCompose(answer -> answer));
                }
                start.countDown();
                List<Integer> winners = new ArrayList<>();
                for (int racer = 0; racer < RACERS; racer++) {
                    if (Await.get(answers.get(racer), "put") == PutResult.CREATED) {
                        winners.add(racer);
                    }
                }
                assertThat("winners of round " + round, winners, hasSize(1));
                assertThat((int) Await.get(store.read(name, 0, 1), "read").get(), is(winners.get(0)));
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void writerMakesOneObjectOfItsPieces() {
        try (ObjectWriter writer = store.create("pieces")) {
            writer.write(bytes("one,"));
            assertThat(writer.position(), is(4L));
            writer.write(bytes(""));
            writer.write(bytes("two"));
            assertThat(writer.position(), is(7L));
            Await.get(writer.finish(), "finish");
        }
        assertThat(size("pieces"), is(OptionalLong.of(7)));
        assertThat(read("pieces", 0, 7), is("one,two"));
    }

    @Test
    void writerOfNothingMakesAnEmptyObject() {
        try (ObjectWriter writer = store.create("nothing")) {
            Await.get(writer.finish(), "finish");
        }
        assertThat(size("nothing"), is(OptionalLong.of(0)));
    }

    @Test
    void writerTakesTheBytesAtOnce() {
        ByteBuffer reused = ByteBuffer.allocate(4);
        try (ObjectWriter writer = store.create("reused")) {
            for (int i = 0; i < 3; i++) {
                reused.clear();
                reused.putInt(i).flip();
                writer.write(reused);
            }
            Await.get(writer.finish(), "finish");
        }
        ByteBuffer stored = Await.get(store.read("reused", 0, 12), "read");
        assertThat(List.of(stored.getInt(), stored.getInt(), stored.getInt()), contains(0, 1, 2));
    }

    @Test
    void objectBeingWrittenIsInvisible() {
        try (ObjectWriter writer = store.create("open")) {
            writer.write(bytes("partial"));
            assertThat(size("open"), is(OptionalLong.empty()));
            assertThat(list("", "", 10), is(empty()));
            assertThat(failure(store.read("open", 0, 1)), instanceOf(Invalid.class));
        }
    }

    @Test
    void writerGivenUpLeavesNothing() {
        ObjectWriter writer = store.create("given-up");
        writer.write(bytes("partial"));
        writer.close();
        writer.close();
        assertThat(size("given-up"), is(OptionalLong.empty()));
        assertThat(list("", "", 10), is(empty()));
        put("given-up", "whole");
        assertThat(read("given-up", 0, 5), is("whole"));
    }

    @Test
    void writerClosedAfterFinishKeepsTheObject() {
        ObjectWriter writer = store.create("kept");
        writer.write(bytes("x"));
        Await.get(writer.finish(), "finish");
        writer.close();
        assertThat(size("kept"), is(OptionalLong.of(1)));
    }

    @Test
    void largeObjectStreamsAndReadsBackByRange() {
        byte[] chunk = new byte[1 << 20];
        int chunks = largeBytes() / chunk.length;
        try (ObjectWriter writer = store.create("large")) {
            for (int i = 0; i < chunks; i++) {
                new SplittableRandom(i).nextBytes(chunk);
                writer.write(ByteBuffer.wrap(chunk));
            }
            Await.get(writer.finish(), "finish");
        }
        assertThat(size("large"), is(OptionalLong.of((long) chunks * chunk.length)));
        for (int i = chunks - 1; i >= 0; i--) {
            new SplittableRandom(i).nextBytes(chunk);
            ByteBuffer stored = Await.get(store.read("large", (long) i * chunk.length, chunk.length), "read");
            assertThat("chunk " + i, stored, equalTo(ByteBuffer.wrap(chunk)));
        }
    }

    @Test
    void manyReadsAtOnceAllAnswer() {
        put("digits", "0123456789");
        List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            reads.add(store.read("digits", i % 10, 1));
        }
        for (int i = 0; i < reads.size(); i++) {
            assertThat(text(Await.get(reads.get(i), "read")), is(Integer.toString(i % 10)));
        }
    }

    @Test
    void listIsInOrderOfBytes() {
        List<String> sorted =
                List.of("a", "a-b", "a.b", "a0", "a=b", "aB", "a_b", "ab", "b/a", "b/a-/c", "b0", "c/-", "c/d/e");
        List<String> shuffled = new ArrayList<>(sorted);
        Collections.reverse(shuffled);
        shuffled.forEach(name -> put(name, name));
        assertThat(names(list("", "", 100)), is(sorted));
    }

    @Test
    void listKeepsToItsPrefix() {
        List.of("job/data/1", "job/data/2", "job/log/1", "job2/data/1", "jo").forEach(name -> put(name, "x"));
        assertThat(names(list("job/", "", 10)), contains("job/data/1", "job/data/2", "job/log/1"));
        assertThat(names(list("job/data/", "", 10)), contains("job/data/1", "job/data/2"));
        assertThat(names(list("job/d", "", 10)), contains("job/data/1", "job/data/2"));
        assertThat(list("nothing/", "", 10), is(empty()));
    }

    @Test
    void prefixMayEndWithinAName() {
        List.of("log/0001", "log/0002", "log/0011").forEach(name -> put(name, "x"));
        assertThat(names(list("log/000", "", 10)), contains("log/0001", "log/0002"));
    }

    @Test
    void listPagesGiveEveryNameOnce() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            all.add(String.format("p/%d/%02d", i % 3, i));
        }
        all.forEach(name -> put(name, "x"));
        Collections.sort(all);
        for (int limit : new int[] {1, 7, 25, 26}) {
            List<String> seen = new ArrayList<>();
            String after = "";
            List<Listed> page;
            do {
                page = list("p/", after, limit);
                seen.addAll(names(page));
                after = page.isEmpty() ? after : page.get(page.size() - 1).name();
            } while (page.size() == limit);
            assertThat("limit " + limit, seen, is(all));
        }
    }

    @Test
    void listStartsAfterAnyNameWhetherItExistsOrNot() {
        List.of("a/1", "a/3", "b").forEach(name -> put(name, "x"));
        assertThat(names(list("", "a/1", 10)), contains("a/3", "b"));
        assertThat(names(list("", "a/2", 10)), contains("a/3", "b"));
        assertThat(names(list("a/", "b", 10)), is(empty()));
        assertThat(names(list("b", "a/1", 10)), contains("b"));
    }

    @Test
    void listTellsSizesAndTimes() {
        put("sized", "12345");
        Listed listed = list("", "", 10).get(0);
        assertThat(listed.bytes(), is(5L));
        assertThat(listed.modifiedMillis(), greaterThan(0L));
    }

    @Test
    void emptyStoreListsNothing() {
        assertThat(list("", "", 10), is(empty()));
    }

    @Test
    void deletedObjectsAreGone() {
        List.of("x/1", "x/2", "x/3").forEach(name -> put(name, "x"));
        delete("x/1", "x/3");
        assertThat(names(list("", "", 10)), contains("x/2"));
        assertThat(size("x/1"), is(OptionalLong.empty()));
        assertThat(failure(store.read("x/1", 0, 1)), instanceOf(Invalid.class));
    }

    @Test
    void deleteOfAbsentObjectsSucceeds() {
        put("here", "x");
        delete("gone", "here", "gone/too");
        delete();
        assertThat(list("", "", 10), is(empty()));
    }

    @Test
    void deleteOfADirectoryOfObjectsDeletesNothing() {
        put("dir/object", "x");
        delete("dir");
        assertThat(names(list("", "", 10)), contains("dir/object"));
    }

    @Test
    void writesAndDeletesInOneFolderDoNotDisturbEachOther() {
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Void> deleted = store.delete(List.of("busy/deep/" + (i - 1)));
            CompletableFuture<Void> put = store.put("busy/deep/" + i, bytes("x"));
            Await.get(deleted, "delete");
            Await.get(put, "put");
        }
        assertThat(names(list("", "", 10)), contains("busy/deep/49"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a b", "a\u00e4", "a*", "a\\b", "~a", "a\n"
            })
    void namesOutsideOfTheAlphabetAreInvalid(String name) {
        assertThat(failure(store.put(name, bytes("x"))), instanceOf(Invalid.class));
        assertThat(failure(store.putIfAbsent(name, bytes("x"))), instanceOf(Invalid.class));
        assertThat(failure(store.read(name, 0, 1)), instanceOf(Invalid.class));
        assertThat(failure(store.size(name)), instanceOf(Invalid.class));
        assertThat(failure(store.delete(List.of(name))), instanceOf(Invalid.class));
        assertThrows(Invalid.class, () -> store.create(name));
        assertThat(list("", "", 10), is(empty()));
    }

    @Test
    void longNamesWork() {
        String name = "j".repeat(200) + "/" + "d".repeat(200) + "/" + "n".repeat(200);
        put(name, "x");
        assertThat(names(list("", "", 10)), contains(name));
        assertThat(failure(store.put("n".repeat(201), bytes("x"))), instanceOf(Invalid.class));
    }

    @Test
    void closedStoreAnswersNothing() throws Exception {
        put("before", "x");
        store.close();
        assertThat(failure(store.read("before", 0, 1)), instanceOf(DisaggException.class));
        store = open();
    }

    private void put(String name, String text) {
        Await.get(store.put(name, bytes(text)), "put");
    }

    private PutResult putIfAbsent(String name, String text) {
        return Await.get(store.putIfAbsent(name, bytes(text)), "put if absent");
    }

    private String read(String name, long offset, int length) {
        return text(Await.get(store.read(name, offset, length), "read"));
    }

    private OptionalLong size(String name) {
        return Await.get(store.size(name), "size");
    }

    private List<Listed> list(String prefix, String startAfter, int limit) {
        return Await.get(store.list(prefix, startAfter, limit), "list");
    }

    private void delete(String... names) {
        Await.get(store.delete(List.of(names)), "delete");
    }

    private static List<String> names(List<Listed> page) {
        return page.stream().map(Listed::name).toList();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    private static DisaggException failure(CompletableFuture<?> future) {
        return assertThrows(DisaggException.class, () -> Await.get(future, "call"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
