// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.anEmptyMap;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.memory.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OwnerRecordTest {
    private final MemoryStore store = MemoryStore.create(() -> 0L);
    private final JobFiles files = JobFiles.open(store, "job", 1, "p", Retries.none());

    private static Link link(String name, long offset) {
        return new Link(name, new ObjectRange("job/data/1-p-0", offset, 100), new byte[] {7});
    }

    private OwnerRecord with(OwnerRecord record, List<Link> link, List<String> unlink, byte[] header) {
        Pack pack = files.createPack();
        OwnerRecord next = record.with(link, unlink, header, pack);
        Await.get(pack.seal(), "seal");
        return next;
    }

    private OwnerRecord read(OwnerRecord record) {
        JobFiles other = JobFiles.reader(store, "job", Retries.none());
        return Await.get(other.readOwner(record.parts()), "read");
    }

    private static Map<String, String> text(OwnerRecord record) {
        Map<String, String> text = new TreeMap<>();
        record.links()
                .forEach((name, link) ->
                        text.put(name, link.range() + " " + HexFormat.of().formatHex(link.attributes())));
        text.put("", HexFormat.of().formatHex(record.header()));
        return text;
    }

    @Test
    void emptyOwnerHasNothing() {
        OwnerRecord none = files.emptyOwner();
        assertThat(none.links(), is(anEmptyMap()));
        assertThat(none.parts(), is(empty()));
        assertThat(Await.get(files.readOwner(List.of()), "read").links(), is(anEmptyMap()));
    }

    @Test
    void unchangedRecordIsItselfAndNothingIsPut() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0)), List.of(), new byte[] {1});
        long objects = Await.get(store.list("", "", 100), "list").size();
        assertThat(with(record, List.of(), List.of(), new byte[] {1}), is(sameInstance(record)));
        assertThat(with(record, List.of(link("a", 0)), List.of("absent"), new byte[] {1}), is(sameInstance(record)));
        assertThat((long) Await.get(store.list("", "", 100), "list").size(), is(objects));
    }

    @Test
    void changeIsOneDeltaUntilTheDeltasAreFullAndThenANewBase() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0)), List.of(), new byte[0]);
        List<Integer> parts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            record = with(record, List.of(link("b" + i, i)), List.of(), new byte[0]);
            parts.add(record.parts().size());
            assertThat(text(read(record)), equalTo(text(record)));
        }
        assertThat(
                parts.subList(0, 18), equalTo(List.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 1, 2)));
        assertThat(record.links().size(), is(21));
    }

    @Test
    void linkTakesTheNameFromAnEarlierOneAndUnlinkRemovesIt() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0), link("b", 1)), List.of(), new byte[0]);
        record = with(record, List.of(link("a", 500)), List.of("b"), new byte[0]);
        assertThat(read(record).links().get("a").range().offset(), is(500L));
        assertThat(read(record).links().containsKey("b"), is(false));
    }

    @Test
    void nameUnlinkedAndLinkedInOneStepIsLinked() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0), link("b", 0)), List.of(), new byte[0]);
        record = with(record, List.of(link("a", 9)), List.of("a"), new byte[0]);
        assertThat(read(record).links().get("a").range().offset(), is(9L));
    }

    @Test
    void manyLinksOfAFewObjectsTakeFewBytesEach() {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ObjectRange range =
                    new ObjectRange("a-long-job-name/data/12-worker-process-" + i / 20, i * 1_000_000L, 900_000);
            links.add(new Link(String.format("%08x", i), range, new byte[100]));
        }
        OwnerRecord record = with(files.emptyOwner(), links, List.of(), new byte[0]);
        assertThat(record.parts().get(0).length() / 200, is(lessThan(130L)));
    }

    @Test
    void oneChangeOfALargeRecordIsASmallDelta() {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            links.add(link("t" + i, i));
        }
        OwnerRecord record = with(files.emptyOwner(), links, List.of(), new byte[500]);
        record = with(record, List.of(link("new", 1)), List.of("t5"), new byte[500]);
        assertThat(record.parts().get(1).length(), is(lessThanOrEqualTo(60L)));
    }

    @Test
    void partsInAnotherOrderOrOfAnotherOwnerAreCorrupt() {
        OwnerRecord one = with(files.emptyOwner(), List.of(link("a", 0), link("b", 1)), List.of(), new byte[0]);
        OwnerRecord two = with(one, List.of(link("c", 2)), List.of(), new byte[0]);
        OwnerRecord three = with(two, List.of(), List.of("c"), new byte[0]);
        OwnerRecord other = with(files.emptyOwner(), List.of(link("x", 0), link("y", 1)), List.of(), new byte[0]);
        List<ObjectRange> skipped = List.of(three.parts().get(0), three.parts().get(2));
        List<ObjectRange> mixed = List.of(other.parts().get(0), two.parts().get(1));
        List<ObjectRange> reversed = new ArrayList<>(two.parts());
        Collections.reverse(reversed);
        for (List<ObjectRange> parts : List.of(skipped, mixed, reversed)) {
            Corrupt error = assertThrows(Corrupt.class, () -> Await.get(files.readOwner(parts), "read"));
            assertThat(error.getMessage(), allOf(containsString("job/data/1-p-"), containsString("restore")));
        }
    }

    @Test
    void recordOfAnotherJobReadsBack() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0)), List.of(), new byte[] {3});
        JobFiles next = JobFiles.open(store, "successor", 1, "p", Retries.none());
        OwnerRecord restored = Await.get(next.readOwner(record.parts()), "read");
        Pack pack = next.createPack();
        OwnerRecord changed = restored.with(List.of(link("b", 0)), List.of(), new byte[] {3}, pack);
        Await.get(pack.seal(), "seal");
        assertThat(changed.parts(), hasSize(2));
        assertThat(text(read(changed)), equalTo(text(changed)));
    }

    @Test
    void missingPartIsCorruptAndNamed() {
        OwnerRecord record = with(files.emptyOwner(), List.of(link("a", 0)), List.of(), new byte[0]);
        Await.get(store.delete(List.of(record.parts().get(0).object())), "delete");
        Corrupt error = assertThrows(Corrupt.class, () -> read(record));
        assertThat(error.getMessage(), containsString(record.parts().get(0).object()));
    }

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anySequenceOfChangesReadsBackAsAMapWould(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        OwnerRecord record = files.emptyOwner();
        TreeMap<String, Long> model = new TreeMap<>();
        for (int step = 0; step < 60; step++) {
            List<Link> link = new ArrayList<>();
            List<String> unlink = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                unlink.add("n" + random.nextInt(12));
            }
            unlink.forEach(model::remove);
            for (int i = random.nextInt(3); i > 0; i--) {
                Link each = link("n" + random.nextInt(12), random.nextInt(50));
                link.add(each);
                model.put(each.name(), each.range().offset());
            }
            record = with(record, link, unlink, new byte[] {(byte) random.nextInt(2)});
            OwnerRecord stored = read(record);
            TreeMap<String, Long> seen = new TreeMap<>();
            stored.links().forEach((name, each) -> seen.put(name, each.range().offset()));
            assertThat("seed " + seed + " step " + step, seen, equalTo(model));
            assertThat("seed " + seed + " step " + step, stored.header(), equalTo(record.header()));
            assertThat(record.parts().size(), lessThanOrEqualTo(OwnerRecord.MAX_DELTAS + 1));
        }
    }

    @Test
    void everyFlippedBitAndEveryTruncationOfAPartIsDetected() {
        OwnerRecord record =
                with(files.emptyOwner(), List.of(link("a", 0), link("b", 1)), List.of(), new byte[] {1, 2});
        record = with(record, List.of(link("c", 1)), List.of("a"), new byte[] {1, 2});
        List<ByteBuffer> parts = new ArrayList<>();
        for (ObjectRange part : record.parts()) {
            parts.add(Await.get(store.read(part.object(), part.offset(), (int) part.length()), "read"));
        }
        for (int part = 0; part < parts.size(); part++) {
            for (byte[] damaged : Damage.all(parts.get(part))) {
                List<ByteBuffer> read = new ArrayList<>(parts);
                read.set(part, ByteBuffer.wrap(damaged));
                List<ObjectRange> ranges = record.parts();
                Corrupt error = assertThrows(Corrupt.class, () -> OwnerFormat.read(ranges, read));
                assertThat(error.getMessage(), containsString(ranges.get(part).object()));
            }
        }
    }
}
