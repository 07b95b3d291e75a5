// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.sim.JobProgram.Arrival;
import dev.disagg.runner.sim.ModelTimers.Pending;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;

/**
 * What a sequential run makes of one key. It goes along with what the key has seen, since two things are the task's choice:
 * at which element a watermark is taken in, and when a timer of processing time comes. Everything else has to be as here.
 */
final class KeyModel {
    private static final long GLOBAL = GlobalWindow.INSTANCE.maxTimestamp().getMillis();

    private final JobProgram program;
    private final String key;
    private final List<Arrival> arrivals;
    private final List<Entry> log;
    private final ModelTimers timers = new ModelTimers();
    private final Map<Long, ModelStates> states = new HashMap<>();
    private int arrived;
    private long watermark = JobProgram.MIN;

    /** What the key outputs, in order. */
    final List<JobRun.Out> outs = new ArrayList<>();
    /** Where in the log the elements are. */
    final List<Integer> elementAt = new ArrayList<>();
    /** Per entry, the entry that set the timer; -1 for elements. */
    final List<Integer> setBy = new ArrayList<>();

    KeyModel(JobProgram program, String key, List<Entry> log) {
        this.program = program;
        this.key = key;
        this.log = log;
        this.arrivals = program.arrivals.stream()
                .filter(arrival -> arrival.element().key().equals(key))
                .toList();
    }

    List<Arrival> arrivals() {
        return arrivals;
    }

    /** Goes through the log; throws where it is not what had to be. */
    void check() {
        for (int index = 0; index < log.size(); index++) {
            Entry entry = log.get(index);
            try {
                step(index, entry);
            } catch (AssertionError e) {
                throw new AssertionError("key " + key + ", entry " + index + ": " + e.getMessage() + "\n" + entry + "\n"
                        + timers.event + "\n" + timers.processing + "\nlog:\n  "
                        + String.join("\n  ", log.stream().map(Entry::toString).toList()));
            }
        }
        require(arrived == arrivals.size(), "key " + key + " has seen " + arrived + " of " + arrivals.size());
        require(timers.event.isEmpty(), "key " + key + " has timers left: " + timers.event + log);
        require(
                timers.processing.stream().allMatch(this::wasSetAtTheEnd),
                "key " + key + " has timers left: " + timers.processing + log);
    }

    /** Of those that are set when all input has ended, the last ones do not fire: each fires once then. */
    private boolean wasSetAtTheEnd(Pending timer) {
        for (int i = timer.setBy(); i >= 0 && log.get(i).kind() != Entry.Kind.ELEMENT; i--) {
            Entry entry = log.get(i);
            if (entry.kind() == Entry.Kind.PROCESSING_TIMER || entry.watermarkMillis() >= JobProgram.MAX) {
                return true;
            }
        }
        return false;
    }

    private void step(int index, Entry entry) {
        switch (entry.kind()) {
            case ELEMENT -> element(index, entry);
            case EVENT_TIMER -> event(index, entry, false);
            case EXPIRY -> event(index, entry, true);
            case PROCESSING_TIMER -> processing(index, entry);
        }
    }

    private void element(int index, Entry entry) {
        require(arrived < arrivals.size(), "an element more than were sent");
        Arrival arrival = arrivals.get(arrived++);
        require(
                arrival.element().number() == entry.number(),
                "element " + arrival.element().number() + " should be next");
        if (program.variant.timed) {
            // Tasks that become one after a restore go on from the least of theirs.
            boolean merged = program.restores.size() > 1;
            require(merged || entry.watermarkMillis() >= watermark, "the watermark went back from " + watermark);
            watermark = entry.watermarkMillis();
            require(
                    watermark <= arrival.watermarkMillis(),
                    "the watermark had only come to " + arrival.watermarkMillis());
            require(
                    timers.event.isEmpty() || timers.event.first().timestampMillis() >= watermark,
                    "a timer should have fired before");
        }
        elementAt.add(index);
        setBy.add(-1);
        if (program.variant.windowMillis > 0) {
            long end = entry.windowEndMillis();
            timers.set(timers.event, new Pending(true, "", "", end, end, end, index, false));
        }
        run(index, entry);
    }

    private void event(int index, Entry entry, boolean expiry) {
        Pending due = timers.event.pollFirst();
        require(due != null && due.expiry() == expiry, "no such timer is next");
        if (due == null) {
            return;
        }
        require(expiry || due.name().equals(entry.timer()), "another timer is next: " + due);
        require(due.windowEndMillis() == entry.windowEndMillis(), "the timer of another window is next: " + due);
        require(expiry || due.timestampMillis() == entry.number(), "the timer is set for " + due.timestampMillis());
        if (!expiry) {
            require(due.timestampMillis() < entry.watermarkMillis(), "fired before its time");
        }
        Entry element = nextElement(index);
        if (element != null) {
            require(due.timestampMillis() < element.watermarkMillis(), "fired before an element that came before");
        }
        setBy.add(due.setBy());
        run(index, entry);
        if (expiry) {
            states.remove(entry.windowEndMillis());
            timers.event.removeIf(each -> each.windowEndMillis() == entry.windowEndMillis());
        }
    }

    private void processing(int index, Entry entry) {
        Pending due = timers.processing.pollFirst();
        require(due != null && due.name().equals(entry.timer()), "no such timer is next");
        if (due == null) {
            return;
        }
        require(due.timestampMillis() == entry.number(), "the timer is set for " + due.timestampMillis());
        // All input has ended, else it must be time.
        require(arrived == arrivals.size() || due.timestampMillis() < entry.nowMillis(), "fired before its time");
        setBy.add(due.setBy());
        run(index, entry);
    }

    private @org.jspecify.annotations.Nullable Entry nextElement(int index) {
        for (Entry entry : log.subList(index + 1, log.size())) {
            if (entry.kind() == Entry.Kind.ELEMENT) {
                return entry;
            }
        }
        return null;
    }

    private void run(int index, Entry entry) {
        long expiry = program.variant.windowMillis == 0 ? GLOBAL : entry.windowEndMillis();
        boolean maySet = program.variant.timed && entry.kind() != Entry.Kind.EXPIRY && index + 1 < Recorder.MAX_ENTRIES;
        Entry mine = entry.unseen();
        ModelStates cells =
                states.computeIfAbsent(entry.windowEndMillis(), end -> new ModelStates(key, program.variant));
        long digest = new Script(
                        program.seed,
                        key,
                        mine,
                        cells.states(),
                        maySet ? timers.of(mine, index, expiry, expiry == GLOBAL) : null,
                        expiry)
                .run();
        require(mine.seen().equals(entry.seen()), "it should have seen\n" + mine);
        if (!entry.timer().equals(Timers.SILENT)) {
            outs.add(new JobRun.Out(key, digest, entry.timestampMillis()));
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
