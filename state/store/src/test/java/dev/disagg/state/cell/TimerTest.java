// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static dev.disagg.state.cell.Fixture.bytes;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.state.Family;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TimerTest {
    private static final long NONE = Long.MAX_VALUE;

    private final Fixture task = new Fixture();

    private static Timer event(String id, long at) {
        return new Timer(bytes(id), TimerDomain.EVENT, at, at, new byte[0]);
    }

    private static Timer processing(String id, long at, long output) {
        return new Timer(bytes(id), TimerDomain.PROCESSING, at, output, bytes("payload"));
    }

    private static List<String> names(List<DueKey> keys) {
        return keys.stream().map(key -> new String(key.key())).collect(Collectors.toList());
    }

    @Test
    void timerClearedBeforeItsTimeNeverFires() {
        task.timers("k").set(event("t", 10));
        task.goCold();
        task.timers("k").clear(TimerDomain.EVENT, bytes("t"));
        assertThat(task.due(TimerDomain.EVENT, 100), empty());
        assertThat(task.timers("k").firstDue(TimerDomain.EVENT, 100), nullValue());
        task.goCold();
        assertThat(task.store.live(), is(0));
    }

    @Test
    void timerThatIsSetAgainFiresAtItsNewTimeOnly() {
        task.timers("k").set(event("t", 10));
        task.timers("k").set(event("t", 30));
        assertThat(task.state.timers(TimerDomain.EVENT).minTimestampMillis(), is(30L));
        assertThat(task.due(TimerDomain.EVENT, 30), empty());
        assertThat(names(task.due(TimerDomain.EVENT, 31)), contains("k"));
    }

    @Test
    void firstDueIsTheSmallestTimestampThenId() {
        KeyTimers timers = task.timers("k");
        List<Timer> set = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 40; i++) {
            Timer timer = event("t" + random.nextInt(1000), random.nextInt(5));
            timers.set(timer);
            set.removeIf(other -> java.util.Arrays.equals(other.id(), timer.id()));
            set.add(timer);
            set.sort(java.util.Comparator.comparingLong(Timer::timestampMillis)
                    .thenComparing(Timer::id, java.util.Arrays::compareUnsigned));
            assertThat(timers.firstDue(TimerDomain.EVENT, 5), equalTo(set.get(0)));
        }
        for (Timer expected : set) {
            Timer due = timers.firstDue(TimerDomain.EVENT, 5);
            assertThat(due, equalTo(expected));
            timers.remove(due);
        }
        assertThat(timers.count(), is(0));
    }

    @Test
    void firedTimerThatWasSetAgainMeanwhileStays() {
        KeyTimers timers = task.timers("k");
        Timer fired = event("t", 10);
        timers.set(fired);
        timers.set(event("t", 20));
        timers.remove(fired);
        assertThat(timers.get(TimerDomain.EVENT, bytes("t")), equalTo(event("t", 20)));
    }

    @Test
    void timersOfOneKeyAndTimeShareAnIndexEntryUntilTheLastIsGone() {
        for (String id : List.of("a", "b", "c")) {
            task.timers("k").set(event(id, 10));
        }
        task.goCold();
        assertThat(task.store.map(Family.EVENT_TIMERS).size(), is(1));
        task.timers("k").clear(TimerDomain.EVENT, bytes("a"));
        task.timers("k").clear(TimerDomain.EVENT, bytes("b"));
        assertThat(names(task.due(TimerDomain.EVENT, 11)), contains("k"));
        task.timers("k").clear(TimerDomain.EVENT, bytes("c"));
        assertThat(task.due(TimerDomain.EVENT, 11), empty());
        task.goCold();
        assertThat(task.store.live(), is(0));
    }

    @Test
    void dueKeysComeInTimeOrderOnceEach() {
        task.timers("a").set(event("t", 30));
        task.timers("b").set(event("t", 10));
        task.timers("a").set(event("u", 20));
        task.timers("c").set(event("t", 40));
        task.timers("b").set(event("u", 25));
        assertThat(names(task.due(TimerDomain.EVENT, 40)), contains("b", "a"));
        task.restore();
        task.store.delayed = true;
        assertThat(names(task.due(TimerDomain.EVENT, 41)), contains("b", "a", "c"));
    }

    @Test
    void timerSetBehindAnOpenScanIsFound() {
        task.timers("a").set(event("t", 10));
        task.timers("c").set(event("t", 30));
        DueScan scan = task.state.timers(TimerDomain.EVENT).due(100);
        assertThat(names(scan.next(1).join()), contains("a"));
        assertThat(names(scan.next(1).join()), contains("c"));
        task.timers("b").set(event("t", 20));
        assertThat(names(scan.next(1).join()), contains("b"));
        assertThat(scan.next(1).join(), empty());
        task.timers("b").set(event("u", 20));
        assertThat(scan.next(1).join(), empty());
    }

    @Test
    void fewerEntriesInMemoryGiveTheSameAnswers() {
        Fixture small = new Fixture(new TaskStateOptions(1 << 20, 1 << 20, 8));
        SplittableRandom random = new SplittableRandom(11);
        HashSet<String> set = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            String key = "k" + random.nextInt(400);
            small.timers(key).set(event("t", random.nextInt(10_000)));
            set.add(key);
        }
        small.store.delayed = true;
        List<DueKey> due = small.due(TimerDomain.EVENT, 10_000);
        assertThat(new HashSet<>(names(due)), equalTo(set));
    }

    @Test
    void minimumIsALowerBoundWhileItsPageIsOut() {
        task.timers("k").set(event("t", 50));
        task.hold("k").write(70);
        task.restore();
        // The heads were read when the state was opened.
        assertThat(task.state.timers(TimerDomain.EVENT).minTimestampMillis(), is(50L));

        var snapshot = (FakeByteStore.Snapshot) task.state.freeze(2, new byte[0]);
        var opened = FakeByteStore.open(dev.disagg.state.KeyRange.ALL, List.of(snapshot));
        FakeByteStore store = (FakeByteStore) opened.store();
        store.delayed = true;
        TaskState state = TaskState.open(opened, TaskStateOptions.DEFAULT);
        assertThat("the heads are read in one round trip", store.waiting(), is(2));
        KeyEntry other = state.key(KeyHash.of(bytes("z")), bytes("z"));
        other.globalRow().fetch();
        store.complete(true);
        KeyTimers timers = other.timers();
        assertThat(timers.resident(), is(true));
        timers.set(event("early", 20));
        assertThat(state.timers(TimerDomain.EVENT).minTimestampMillis(), is(20L));
        timers.clear(TimerDomain.EVENT, bytes("early"));
        assertThat(state.timers(TimerDomain.EVENT).minTimestampMillis(), is(50L));
        assertThat(state.minHoldMillis(), is(70L));
    }

    @Test
    void tombstonesOfFiredTimersAreNotReadAgain() {
        for (int i = 0; i < 100; i++) {
            task.timers("k").set(event("t" + i, i));
        }
        task.goCold();
        for (int i = 0; i < 90; i++) {
            task.timers("k").clear(TimerDomain.EVENT, bytes("t" + i));
        }
        task.restore();
        assertThat(KeyLayout.timeOf(task.store.scannedFrom.get(Family.EVENT_TIMERS)), is(90L));
        assertThat("an empty family is not read", task.store.scannedFrom.containsKey(Family.HOLDS), is(false));
    }

    @Test
    void keyWithMoreTimersThanThePrefetchTakesHasThemAll() {
        for (int i = 0; i < 3_000; i++) {
            task.timers("k").set(new Timer(bytes("timer" + i), TimerDomain.EVENT, i, i, new byte[100]));
        }
        task.value("k");
        task.key("k").globalRow().value(task.cell("tree"), TestCodecs.LONG).write(5L);
        task.goCold();
        task.store.delayed = true;
        Row row = task.resident(task.key("k").globalRow());
        assertThat(row.value(task.cell("tree"), TestCodecs.LONG).read(), is(5L));
        assertThat(task.key("k").timers().resident(), is(false));
        KeyTimers timers = task.timers("k");
        assertThat(timers.count(), is(3_000));
        assertThat(timers.firstDue(TimerDomain.EVENT, 10).timestampMillis(), is(0L));
    }

    @Test
    void millionTimersSetAndClearedLeaveNothing() {
        Fixture small = new Fixture(new TaskStateOptions(4 << 20, 1 << 20, 4_096));
        int keys = 1_000_000;
        for (int i = 0; i < keys; i++) {
            small.timers("k" + i).set(event("t", 1_000_000 + i * 31L % 1000));
            if (i % 4 == 0) {
                small.state.maintain();
            }
            if (i % 50_000 == 0) {
                assertThat(small.state.metrics().cachedBytes(), lessThan(5L << 20));
            }
        }
        assertThat(small.state.timers(TimerDomain.EVENT).minTimestampMillis(), is(1_000_000L));
        for (int i = 0; i < keys; i++) {
            small.timers("k" + i).clear(TimerDomain.EVENT, bytes("t"));
            small.state.maintain();
        }
        assertThat(small.state.timers(TimerDomain.EVENT).minTimestampMillis(), is(NONE));
        assertThat(small.due(TimerDomain.EVENT, NONE), empty());
        small.state.freeze(1, new byte[0]);
        assertThat(small.store.live(), is(0));
        small.state.evictAll();
        assertThat(small.state.metrics().cachedBytes(), is(0L));
    }

    @Test
    void timersSetAndClearedBeforeTheyAreFrozenCostNoStoreWrite() {
        for (int i = 0; i < 1_000; i++) {
            task.timers("k" + i).set(processing("t", i, i));
        }
        for (int i = 0; i < 1_000; i++) {
            task.timers("k" + i).clear(TimerDomain.PROCESSING, bytes("t"));
        }
        task.state.freeze(1, new byte[0]);
        assertThat(task.writes(), is(0));
    }

    @Test
    void pendingTimersHoldTheWatermarkAtTheirOutputTime() {
        TimerIndex event = task.state.timers(TimerDomain.EVENT);
        TimerIndex processing = task.state.timers(TimerDomain.PROCESSING);
        assertThat(event.minOutputTimestampMillis(), is(NONE));
        task.timers("a").set(new Timer(bytes("t"), TimerDomain.EVENT, 100, 40, new byte[0]));
        task.timers("a").set(processing("p", 5_000, 60));
        task.timers("a").set(processing("q", 5_000, 60));
        task.timers("b").set(processing("free", 10, NONE));
        assertThat(event.minOutputTimestampMillis(), is(40L));
        assertThat(processing.minOutputTimestampMillis(), is(60L));
        assertThat("timers are no hold cells", task.state.minHoldMillis(), is(NONE));
        task.restore();
        processing = task.state.timers(TimerDomain.PROCESSING);
        assertThat(processing.minOutputTimestampMillis(), is(60L));
        task.timers("a").clear(TimerDomain.PROCESSING, bytes("p"));
        assertThat("q still holds", processing.minOutputTimestampMillis(), is(60L));
        task.timers("a").clear(TimerDomain.PROCESSING, bytes("q"));
        assertThat(processing.minOutputTimestampMillis(), is(NONE));
    }

    @Test
    void holdsOfTwoWindowsAtOneTimeAreApart() {
        task.key("k").row(10, bytes("w")).hold(task.cell("hold")).write(5);
        task.key("k").row(20, bytes("w")).hold(task.cell("hold")).write(5);
        task.key("k").row(10, bytes("w")).hold(task.cell("hold")).clear();
        assertThat(task.state.minHoldMillis(), is(5L));
        task.restore();
        assertThat(task.state.minHoldMillis(), is(5L));
        task.resident(task.key("k").row(20, bytes("w")).hold(task.cell("hold"))).clear();
        assertThat(task.state.minHoldMillis(), is(NONE));
    }

    @Test
    void blindHoldLetsTheOldOneGoWithoutBeingReadByItsOwner() {
        task.hold("k").write(5);
        task.goCold();
        task.store.delayed = true;
        task.hold("k").write(9);
        assertThat("never above what may still hold", task.state.minHoldMillis(), is(5L));
        task.state.maintain();
        task.store.complete(false);
        task.state.maintain();
        assertThat(task.state.minHoldMillis(), is(9L));
        task.hold("k").clear();
        task.goCold();
        assertThat(task.store.live(), is(0));
    }

    @Test
    void keyOverOneKibibyteComesBackWhole() {
        String longKey = "x".repeat(5_000);
        task.timers(longKey).set(event("t", 10));
        task.value(longKey).write("v");
        task.restore();
        List<DueKey> due = task.due(TimerDomain.EVENT, 11);
        assertThat(names(due), contains(longKey));
        assertThat(task.resident(task.value(longKey)).read(), equalTo("v"));
        assertThat(task.timers(longKey).count(), is(1));
        long keyCells = task.store.map(Family.ROWS).values().stream()
                .filter(value -> value.length == 5_000)
                .count();
        assertThat(keyCells, is(1L));
    }
}
