// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static dev.disagg.state.cell.Fixture.bytes;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TaskStateTest {
    @Test
    void cellNumberDependsOnNothingButItsNames() {
        Fixture one = new Fixture();
        Fixture two = new Fixture();
        two.state.cellId("other", "first");
        assertThat(one.state.cellId("step", "count"), is(two.state.cellId("step", "count")));
        assertThat(one.state.cellId("step", "count"), is(0xe07fae1b));
        assertThat(one.state.cellId("step2", "count"), not(one.state.cellId("step", "count")));
        assertThat(one.state.cellId("ab", "c"), not(one.state.cellId("a", "bc")));
    }

    @Test
    void dictionariesOfAllParentsAreMerged() {
        Fixture one = new Fixture();
        Fixture two = new Fixture();
        one.state.cellId("step", "count");
        one.state.cellId("step", "only in one");
        two.state.cellId("step", "count");
        two.state.cellId("step", "only in two");
        var first = (FakeByteStore.Snapshot) one.state.freeze(1, bytes("first"));
        var second = (FakeByteStore.Snapshot) two.state.freeze(1, bytes("second"));
        TaskState merged =
                TaskState.open(FakeByteStore.open(KeyRange.ALL, List.of(first, second)), TaskStateOptions.DEFAULT);
        assertThat(
                merged.restoredHeaders().stream().map(String::new).collect(Collectors.toList()),
                equalTo(List.of("first", "second")));
        var again = (FakeByteStore.Snapshot) merged.freeze(2, new byte[0]);
        assertThat(
                TaskHeader.decode(again.header).cells().values().stream()
                        .map(CellDictionary.Name::stateId)
                        .sorted()
                        .collect(Collectors.toList()),
                equalTo(List.of("count", "only in one", "only in two")));
    }

    @Test
    void twoCellsWithOneNumberAreRefused() {
        CellDictionary dictionary = new CellDictionary();
        // Found by search: their hashes agree in the 32 bits that are taken.
        CellDictionary.Name[] pair = collision();
        dictionary.number(pair[0].step(), pair[0].stateId());
        String message = assertThrows(Invalid.class, () -> dictionary.number(pair[1].step(), pair[1].stateId()))
                .getMessage();
        assertThat(message, containsString(pair[0].stateId()));
        assertThat(message, containsString(pair[1].stateId()));
    }

    private static CellDictionary.Name[] collision() {
        java.util.Map<Integer, CellDictionary.Name> seen = new java.util.HashMap<>();
        for (int i = 0; i < 1_000_000; i++) {
            CellDictionary.Name name = new CellDictionary.Name("step", "state" + i);
            CellDictionary.Name other = seen.put(CellDictionary.hash(name), name);
            if (other != null) {
                return new CellDictionary.Name[] {other, name};
            }
        }
        throw new AssertionError("no two of a million names have one number");
    }

    @Test
    void parentsWithAForeignNumberingAreRefused() {
        CellDictionary dictionary = new CellDictionary();
        assertThrows(Invalid.class, () -> dictionary.add(5, new CellDictionary.Name("step", "count")));
    }

    @Test
    void headerComesBackAsItWas() {
        CellDictionary dictionary = new CellDictionary();
        dictionary.number("step", "count");
        TaskHeader header = new TaskHeader(1, 2, 3, 4, 5, dictionary.names(), bytes("runner"));
        TaskHeader read = TaskHeader.decode(header.encode());
        assertThat(read.encode(), equalTo(header.encode()));
        assertThat(read.eventLowWaterMillis(), is(1L));
        assertThat(read.processingLowWaterMillis(), is(2L));
        assertThat(read.holdsLowWaterMillis(), is(3L));
        assertThat(read.nextGeneration(), is(4L));
        assertThat(read.nextArrival(), is(5L));
        assertThat(read.runner(), equalTo(bytes("runner")));
    }

    @Test
    void everyCutOrForeignHeaderIsCorrupt() {
        CellDictionary dictionary = new CellDictionary();
        dictionary.number("step", "count");
        byte[] header = new TaskHeader(1, 2, 3, 4, 5, dictionary.names(), bytes("runner")).encode();
        for (int length = 0; length < header.length; length++) {
            byte[] cut = Arrays.copyOf(header, length);
            assertThrows(Corrupt.class, () -> TaskHeader.decode(cut), "cut to " + length);
        }
        header[0] = 9;
        assertThat(
                assertThrows(Corrupt.class, () -> TaskHeader.decode(header)).getMessage(), containsString("version 9"));
    }

    @Test
    void arrivalNumbersGrowAcrossRestoresAndMerges() {
        Fixture task = new Fixture();
        long first = task.state.inbox().append(7, bytes("a"));
        long second = task.state.inbox().append(7, bytes("b"));
        assertThat(second, greaterThan(first));
        task.state.inbox().remove(7, second);
        task.restore();
        long third = task.state.inbox().append(7, bytes("c"));
        task.state.inbox().append(6, bytes("d"));
        assertThat(third, greaterThan(second));
        assertThat(
                task.all(task.state.inbox().all()).stream()
                        .map(item -> item.group() + new String(item.element()))
                        .collect(Collectors.toList()),
                equalTo(List.of("6d", "7a", "7c")));
        assertThat(task.all(task.state.inbox().group(7)).get(1).number(), is(third));
        assertThrows(Invalid.class, () -> task.state.inbox().append(32_768, bytes("x")));
    }

    @Test
    void sourcesAreReplacedAndDeleted() {
        Fixture task = new Fixture();
        task.state.sources().put(bytes("a"), bytes("1"));
        task.state.sources().put(bytes("b"), bytes("2"));
        task.state.sources().put(bytes("a"), bytes("3"));
        task.state.sources().delete(bytes("b"));
        task.restore();
        List<Sources.Item> all = task.all(task.state.sources().all());
        assertThat(all.size(), is(1));
        assertThat(all.get(0).position(), equalTo(bytes("3")));
    }

    @Test
    void closingClosesTheStore() {
        Fixture task = new Fixture();
        task.state.close();
        assertThat(task.store.closed, is(true));
    }
}
