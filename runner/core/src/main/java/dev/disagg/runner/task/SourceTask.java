// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import dev.disagg.runner.graph.Head;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.Sources;
import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.util.SerializableUtils;
import org.jspecify.annotations.Nullable;

/**
 * A stage that begins with reading. Each split belongs to the task {@code number % parallelism}; what is stored of it is
 * the serialized split, once, and its position. A task that has read all of its bounded splits takes over what others have
 * not read yet.
 */
public final class SourceTask extends StageTask {
    static final byte SPLIT = 's';
    static final byte POSITION = 'p';
    private static final int PAGE_BYTES = 1 << 20;
    private static final int READ = 256;
    private static final long WATERMARK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Head.Source head;
    private final Map<Integer, Split> splits = new TreeMap<>();
    private final Map<Long, List<SplitReader.Committed>> uncommitted = new HashMap<>();
    private final MetricsContainer readMetrics;
    private long published;
    private long publishedNanos;
    private boolean allDone;
    /** Whether this task has nothing left, and others have. */
    private boolean waits;

    private final boolean inTurn;
    /** Of a split that is made later: no other task gives that number. */
    private int nextNumber;

    private static final class Split {
        final SplitReader reader;
        byte @Nullable [] storedPosition;

        Split(SplitReader reader, byte @Nullable [] storedPosition) {
            this.reader = reader;
            this.storedPosition = storedPosition;
        }
    }

    /** @param fresh the splits of a fresh start, by number; null when splits are those of the restored state */
    public SourceTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions, @Nullable List<byte[]> fresh) {
        super(spec, host, asyncOptions.withHandOver(false));
        head = (Head.Source) spec.stage().head();
        readMetrics = metrics(head.name());
        inTurn = head instanceof Head.Bounded;
        nextNumber = spec.index();
        published = spec.restoredOutputWatermark();
        Map<Integer, byte[]> parts = new TreeMap<>();
        Map<Integer, byte[]> positions = new HashMap<>();
        if (fresh != null) {
            for (int number = 0; number < fresh.size(); number++) {
                parts.put(number, fresh.get(number));
            }
        } else {
            readStored(parts, positions);
        }
        parts.forEach((number, part) -> {
            while (nextNumber <= number) {
                nextNumber += spec.stage().parallelism();
            }
            if (number % spec.stage().parallelism() == spec.index()) {
                open(number, part, positions.get(number));
                if (fresh != null) {
                    state().sources().put(id(SPLIT, number), part);
                }
            } else if (fresh == null) {
                state().sources().delete(id(SPLIT, number));
                state().sources().delete(id(POSITION, number));
            }
        });
    }

    private void open(int number, byte[] part, byte @Nullable [] position) {
        try {
            splits.put(number, new Split(Splits.open(head, part, position, options()), position));
        } catch (IOException e) {
            throw new Failed(name() + ": split " + number + " can not be opened: " + e.getMessage(), e);
        }
    }

    private void readStored(Map<Integer, byte[]> parts, Map<Integer, byte[]> positions) {
        try (Pages<Sources.Item> pages = state().sources().all()) {
            for (List<Sources.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                for (Sources.Item item : page) {
                    ByteBuffer id = ByteBuffer.wrap(item.splitId());
                    byte kind = id.get();
                    (kind == SPLIT ? parts : positions).put(id.getInt(), item.position());
                }
            }
        }
    }

    /** The stored name of a split, or of its position: {@code [kind 1][number 4]}. */
    static byte[] id(byte kind, int number) {
        return ByteBuffer.allocate(5).put(kind).putInt(number).array();
    }

    @Override
    int takeOwnWork() {
        if (allDone) {
            return 0;
        }
        int work = 0;
        boolean done = true;
        Sharing sharing = sharing();
        Chain chain = chain();
        Receiver into = value -> {
            enter(chain, value.getTimestamp().getMillis());
            chain.entry().accept(value);
        };
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(readMetrics);
        try {
            for (Split split : splits.values()) {
                // Splits that end by themselves are read one after the other, so that one that was not begun can be
                // given away.
                if (!split.reader.isDone() && work < TURN && (done || !inTurn)) {
                    work += split.reader.read(READ, into);
                }
                done &= split.reader.isDone();
            }
            if (!done && sharing != null && sharing.isWanted()) {
                shareWith(sharing);
            }
        } catch (IOException e) {
            throw new Failed(name() + ": reading failed: " + e.getMessage(), e);
        } finally {
            MetricsEnvironment.setCurrentContainer(before);
        }
        countProcessed(work);
        waits = done && sharing != null && !sharing.idle();
        if (waits) {
            return work;
        }
        if (done) {
            allDone = true;
            closeReaders();
        }
        publish(done);
        return done ? work + 1 : work;
    }

    /** Gives a split that was not begun to a task that has none left, or a part of the one that is being read. */
    private void shareWith(Sharing sharing) throws IOException {
        for (Map.Entry<Integer, Split> each : splits.entrySet()) {
            Split split = each.getValue();
            if (split.reader instanceof BoundedSplit bounded && !bounded.isBegun() && !bounded.isDone()) {
                int number = each.getKey();
                BoundedSplit given = bounded;
                splits.remove(number);
                state().sources().delete(id(SPLIT, number));
                state().sources().delete(id(POSITION, number));
                sharing.give(given.source(), () -> addSplit(given.source()), () -> {});
                return;
            }
        }
        for (Map.Entry<Integer, Split> each : splits.entrySet()) {
            if (each.getValue().reader instanceof BoundedSplit bounded && !bounded.isDone()) {
                BoundedSource<?> rest = bounded.split();
                if (rest != null) {
                    state().sources()
                            .put(id(SPLIT, each.getKey()), SerializableUtils.serializeToByteArray(bounded.source()));
                    sharing.give(rest, () -> addSplit(rest), () -> {});
                    return;
                }
            }
        }
    }

    private void addSplit(BoundedSource<?> source) {
        int tasks = spec().stage().parallelism();
        int number = nextNumber;
        nextNumber += tasks;
        byte[] part = SerializableUtils.serializeToByteArray(source);
        state().sources().put(id(SPLIT, number), part);
        open(number, part, null);
    }

    @Override
    boolean takesOver(Object work, long snapshot) {
        if (snapshot != lastSnapshot() || async().isDraining() || allDone) {
            return false;
        }
        addSplit((BoundedSource<?>) work);
        return true;
    }

    private void publish(boolean now) {
        long nanos = host().nanoTime();
        if (now || nanos - publishedNanos >= WATERMARK_NANOS) {
            publishedNanos = nanos;
            long watermark = Frontier.MAX;
            for (Split split : splits.values()) {
                watermark = Math.min(watermark, split.reader.watermarkMillis());
            }
            published = Math.max(published, watermark);
        }
    }

    private void closeReaders() {
        try {
            for (Split split : splits.values()) {
                if (split.reader instanceof BoundedSplit) {
                    split.reader.close();
                }
            }
        } catch (IOException e) {
            throw new Failed(name() + ": a reader can not be closed: " + e.getMessage(), e);
        }
    }

    @Override
    long releasableMillis() {
        if (published >= Frontier.MAX && outputWatermarkMillis() < Frontier.MAX) {
            closeBundles();
        }
        return published;
    }

    @Override
    long inputWatermarkMillis() {
        return published;
    }

    @Override
    boolean isQuiet() {
        return (allDone || waits) && super.isQuiet();
    }

    @Override
    long nextWakeNanos() {
        return allDone || waits ? Long.MAX_VALUE : POLL_NANOS;
    }

    @Override
    boolean mayEnd() {
        return allDone;
    }

    @Override
    void drainBegun() {
        splits.values().forEach(split -> split.reader.drain());
    }

    @Override
    boolean nothingMoreComes() {
        return allDone;
    }

    @Override
    void beforeSnapshot(long checkpoint) {
        List<SplitReader.Committed> marks = new ArrayList<>();
        // Sources measure what they have still to read when they say where they are.
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(readMetrics);
        try {
            splits.forEach((number, split) -> marks.add(keepPosition(number, split)));
        } finally {
            MetricsEnvironment.setCurrentContainer(before);
        }
        uncommitted.put(checkpoint, marks);
    }

    private SplitReader.Committed keepPosition(int number, Split split) {
        try {
            SplitReader.Position position = split.reader.position();
            if (!java.util.Arrays.equals(position.stored(), split.storedPosition)) {
                state().sources().put(id(POSITION, number), position.stored());
                split.storedPosition = position.stored();
            }
            return position.whenCommitted();
        } catch (IOException e) {
            throw new Failed(name() + ": the position of split " + number + " can not be taken: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean hearsOfCommits() {
        return true;
    }

    /** Sources may forget what is before the checkpoint. */
    @Override
    void whenCommitted(long checkpoint) {
        List<SplitReader.Committed> marks = uncommitted.remove(checkpoint);
        uncommitted.keySet().removeIf(older -> older < checkpoint);
        if (marks == null) {
            return;
        }
        try {
            for (SplitReader.Committed mark : marks) {
                mark.run();
            }
        } catch (IOException e) {
            throw new Failed(
                    name() + ": the source could not be told of checkpoint " + checkpoint + ": " + e.getMessage(), e);
        }
    }

    @Override
    void element(int channel, Object item) {
        throw new IllegalStateException("a source has no input");
    }

    @Override
    void channelWatermark(int channel, long millis) {
        throw new IllegalStateException("a source has no input");
    }
}
