// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.BlockCache;
import dev.disagg.state.table.TableInfo;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trees are written as lines of {@code level.run [smallest-largest] bytes}; a line {@code mem} is a frozen memtable. */
class CompactionPickerTest {
    private static final KeyRange HALF = KeyRange.of(0, 2);

    private final TableReaders readers = new TableReaders(new MemoryUfs(), new BlockCache(0, 0));

    private Layer run(int level, long run, String... tables) {
        List<TableHandle> handles = new ArrayList<>();
        for (String table : tables) {
            String[] parts = table.split(" ");
            long bytes = Long.parseLong(parts[1]);
            boolean clipped = parts.length > 2;
            String[] keys = parts[0].split("-");
            TableInfo info = new TableInfo(bytes, 0, 0, Keys.bytes(keys[0]), Keys.bytes(keys[1]), 1, 0, 0);
            handles.add(readers.open(
                    new ManifestTable(
                            run * 100 + handles.size(),
                            Family.HOLDS,
                            level,
                            run,
                            clipped ? HALF : KeyRange.ALL,
                            KeyRange.ALL,
                            new ObjectRange("o" + run + handles.size(), 0, bytes),
                            info),
                    null));
        }
        return RunLayer.of(handles);
    }

    private static Layer mem(long run) {
        return new MemLayer(Family.HOLDS, new SortedMemtable(false), run, OlderKeys.none(Family.HOLDS));
    }

    /** The pick as {@code inputs -> level.run, older spans}. */
    private static String pick(int runs, Layer... newestFirst) {
        CompactionPicker.Pick pick = CompactionPicker.pick(Family.HOLDS, List.of(newestFirst), runs);
        if (pick == null) {
            return "nothing";
        }
        StringBuilder text = new StringBuilder();
        for (List<TableHandle> input : pick.inputs()) {
            for (TableHandle table : input) {
                text.append(table.meta.level()).append('.').append(table.meta.run());
                text.append(Keys.text(table.meta.info().smallestKey())).append(' ');
            }
        }
        return text + "-> " + pick.level() + "." + pick.run() + " over "
                + pick.older().runs().size();
    }

    @Test
    void tooFewFlushedRunsAreLeftAlone() {
        assertThat(pick(3, run(0, 2, "a-z 10"), run(0, 1, "a-z 10")), is("nothing"));
    }

    @Test
    void flushedRunsGoDownWithTheTablesThatTheyOverlap() {
        assertThat(
                pick(2, run(0, 3, "d-e 10"), run(0, 2, "c-d 10"), run(1, 1, "a-b 10", "c-c 10", "e-f 10", "g-h 10")),
                is("0.3d 0.2c 1.1c 1.1e -> 1.1 over 0"));
    }

    @Test
    void overlapGrowsUntilNothingOfAnyTreeBesideIsCut() {
        assertThat(
                pick(
                        2,
                        run(0, 4, "d-e 10"),
                        run(0, 3, "d-d 10"),
                        run(1, 2, "a-d 5", "k-m 5"),
                        run(1, 1, "b-c 5", "e-k 5")),
                is("0.4d 0.3d 1.2a 1.2k 1.1b 1.1e -> 1.2 over 0"));
    }

    @Test
    void smallRunsAboveALargeLevelBecomeOneFlushedRun() {
        assertThat(
                pick(3, run(0, 5, "a-z 1"), run(0, 4, "a-z 2"), run(0, 3, "a-z 50"), run(1, 1, "a-z 1000")),
                is("0.5a 0.4a -> 0.5 over 2"));
    }

    @Test
    void runsNewerThanAFrozenMemtableDoNotSinkBelowIt() {
        assertThat(
                pick(2, run(0, 9, "a-z 5"), mem(8), run(0, 7, "a-z 5"), run(0, 6, "a-z 5")),
                is("0.7a 0.6a -> 1.null over 0"));
        assertThat(pick(2, run(0, 9, "a-z 5"), run(0, 8, "a-z 5"), mem(7), run(0, 6, "a-z 5")), is("nothing"));
    }

    @Test
    void tableThatIsMostlyClippedIsWrittenAgainWhenNothingElseIsToDo() {
        assertThat(pick(3, run(0, 2, "a-z 10"), run(1, 1, "a-b 10", "c-d 10 clipped")), is("1.1c -> 1.1 over 0"));
    }

    @Test
    void manyRunsGoDownEvenWhenSmall() {
        assertThat(
                pick(2, run(0, 5, "a-z 1000"), run(0, 4, "a-z 10"), run(0, 3, "a-z 100"), run(1, 1, "a-z 9999")),
                is("0.5a 0.4a 0.3a -> 0.5 over 1"));
        assertThat(
                pick(
                        2,
                        run(0, 5, "a-z 1"),
                        run(0, 4, "a-z 10"),
                        run(0, 3, "a-z 100"),
                        run(0, 2, "a-z 1000"),
                        run(1, 1, "a-z 9999")),
                is("0.5a 0.4a 0.3a 0.2a 1.1a -> 1.1 over 0"));
    }
}
