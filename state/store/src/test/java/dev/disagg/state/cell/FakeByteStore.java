// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A store of sorted maps. When {@link #delayed}, every read waits until the test completes it, on another thread. */
final class FakeByteStore implements ByteStore {
    private final Map<Family, TreeMap<byte[], byte[]>> families = new EnumMap<>(Family.class);
    private final Set<FakeCursor> cursors = new HashSet<>();
    private final List<Runnable> waiting = new ArrayList<>();
    boolean delayed;
    boolean closed;
    int gets;
    int scans;
    int puts;
    int appends;
    int deletes;
    int openCursors;
    /** Writes that came late to a freeze. */
    int late;

    private Map<Family, Set<byte[]>> changedSinceFreeze;
    /** Thrown by the next read. */
    RuntimeException failure;
    /** Where the last scan of a family began. */
    final Map<Family, byte[]> scannedFrom = new EnumMap<>(Family.class);

    FakeByteStore() {
        for (Family family : Family.values()) {
            families.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    static Opened fresh() {
        return new Opened(new FakeByteStore(), List.of());
    }

    /** A store over the parts of frozen ones that are in {@code range}. */
    static Opened open(KeyRange range, List<Snapshot> parents) {
        FakeByteStore store = new FakeByteStore();
        List<byte[]> headers = new ArrayList<>();
        for (Snapshot parent : parents) {
            headers.add(parent.header);
            parent.families.forEach((family, entries) -> entries.forEach((key, value) -> {
                if (clipped(family, key, range)) {
                    store.map(family).put(key, value);
                }
            }));
        }
        return new Opened(store, headers);
    }

    private static boolean clipped(Family family, byte[] key, KeyRange range) {
        return switch (family) {
            case ROWS -> range.contains(KeyLayout.getLong(key, 0));
            case EVENT_TIMERS, PROCESSING_TIMERS, HOLDS -> range.contains(KeyLayout.getLong(key, 8));
            case INBOX -> {
                int group = KeyLayout.getInt(key, 0) >>> 16;
                yield group >= range.firstGroup() && group < range.endGroup();
            }
            case SOURCES -> true;
        };
    }

    TreeMap<byte[], byte[]> map(Family family) {
        return families.get(family);
    }

    int live() {
        return families.values().stream().mapToInt(Map::size).sum();
    }

    String describe() {
        StringBuilder text = new StringBuilder();
        families.forEach((family, entries) -> entries.forEach((key, value) -> text.append('\n')
                .append(family)
                .append(' ')
                .append(java.util.HexFormat.of().formatHex(key))
                .append(" = ")
                .append(KeyLayout.hex(value))));
        return text.toString();
    }

    int waiting() {
        return waiting.size();
    }

    /** Completes the reads that wait now, the last one first when {@code backwards}. */
    void complete(boolean backwards) {
        List<Runnable> reads = new ArrayList<>(waiting);
        waiting.clear();
        if (backwards) {
            java.util.Collections.reverse(reads);
        }
        if (reads.isEmpty()) {
            return;
        }
        Thread other = new Thread(() -> reads.forEach(Runnable::run));
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private <T> CompletableFuture<T> answer(T value) {
        if (failure != null) {
            CompletableFuture<T> failed = CompletableFuture.failedFuture(failure);
            failure = null;
            return failed;
        }
        if (!delayed) {
            return CompletableFuture.completedFuture(value);
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        waiting.add(() -> future.complete(value));
        return future;
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        puts++;
        changed(family, key).put(key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        appends++;
        changed(family, key).merge(key, tail, FakeByteStore::concat);
    }

    private static byte[] concat(byte[] base, byte[] more) {
        byte[] all = Arrays.copyOf(base, base.length + more.length);
        System.arraycopy(more, 0, all, base.length, more.length);
        return all;
    }

    @Override
    public void delete(Family family, byte[] key) {
        deletes++;
        changed(family, key).remove(key);
    }

    @Override
    public CompletableFuture<byte[]> get(Family family, byte[] key) {
        gets++;
        return answer(map(family).get(key));
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte[] to, byte[] rowPrefix) {
        scans++;
        openCursors++;
        scannedFrom.put(family, from);
        if (rowPrefix != null && !Arrays.equals(rowPrefix, Arrays.copyOf(from, rowPrefix.length))) {
            throw new AssertionError("scan leaves its row");
        }
        FakeCursor cursor = new FakeCursor(family, from, to);
        cursors.add(cursor);
        return cursor;
    }

    /** Lazy while nothing changes; copies what is left before the first change. */
    private final class FakeCursor implements Cursor {
        private final Family family;
        private final byte[] to;
        private byte[] next;
        private Iterator<Entry> copied;

        FakeCursor(Family family, byte[] from, byte[] to) {
            this.family = family;
            this.next = from;
            this.to = to;
        }

        void beforeChange(Family changed) {
            if (changed == family && copied == null) {
                List<Entry> rest = new ArrayList<>();
                for (Entry entry = step(); entry != null; entry = step()) {
                    rest.add(entry);
                }
                copied = rest.iterator();
            }
        }

        private Entry step() {
            if (copied != null) {
                return copied.hasNext() ? copied.next() : null;
            }
            Map.Entry<byte[], byte[]> entry = map(family).ceilingEntry(next);
            if (entry == null || (to != null && Arrays.compareUnsigned(entry.getKey(), to) >= 0)) {
                return null;
            }
            next = Arrays.copyOf(entry.getKey(), entry.getKey().length + 1);
            return new Entry(entry.getKey(), entry.getValue());
        }

        @Override
        public CompletableFuture<List<Entry>> next(int maxBytes) {
            List<Entry> page = new ArrayList<>();
            int bytes = 0;
            while (page.isEmpty() || bytes < maxBytes) {
                Entry entry = step();
                if (entry == null) {
                    break;
                }
                page.add(entry);
                bytes += entry.key().length + entry.value().length;
            }
            if (page.isEmpty()) {
                close();
                // As a real store: what a cursor already knows comes at once.
                return failure == null ? CompletableFuture.completedFuture(page) : answer(page);
            }
            return answer(page);
        }

        @Override
        public void close() {
            openCursors -= cursors.remove(this) ? 1 : 0;
        }
    }

    private TreeMap<byte[], byte[]> changed(Family family, byte[] key) {
        if (changedSinceFreeze != null) {
            changedSinceFreeze.get(family).add(key);
        }
        return change(family);
    }

    private TreeMap<byte[], byte[]> change(Family family) {
        cursors.forEach(cursor -> cursor.beforeChange(family));
        return map(family);
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        Snapshot snapshot = new Snapshot(header);
        families.forEach((family, entries) -> snapshot.families.put(family, new TreeMap<>(entries)));
        return snapshot;
    }

    @Override
    public Late freezeBeforeLast(long checkpoint, byte[] header) {
        if (changedSinceFreeze != null) {
            throw new AssertionError("frozen again before the last freeze is complete");
        }
        changedSinceFreeze = new EnumMap<>(Family.class);
        for (Family family : Family.values()) {
            changedSinceFreeze.put(family, new TreeSet<>(Arrays::compareUnsigned));
        }
        Snapshot snapshot = (Snapshot) freeze(checkpoint, header);
        snapshot.whole = false;
        return snapshot;
    }

    @Override
    public void link(SharedRun run) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unlink(String run) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, SharedRun> linked() {
        return Map.of();
    }

    @Override
    public long memoryBytes() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    final class Snapshot implements Late {
        final Map<Family, TreeMap<byte[], byte[]>> families = new EnumMap<>(Family.class);
        final byte[] header;
        boolean whole = true;

        Snapshot(byte[] header) {
            this.header = header;
        }

        private TreeMap<byte[], byte[]> late(Family family, byte[] key) {
            if (whole || changedSinceFreeze.get(family).contains(key)) {
                throw new AssertionError("too late for " + family + " " + KeyLayout.hex(key));
            }
            late++;
            return families.get(family);
        }

        @Override
        public void put(Family family, byte[] key, byte[] value) {
            late(family, key).put(key, value);
            change(family).put(key, value);
        }

        @Override
        public void append(Family family, byte[] key, byte[] tail) {
            late(family, key).merge(key, tail, FakeByteStore::concat);
            change(family).merge(key, tail, FakeByteStore::concat);
        }

        @Override
        public void delete(Family family, byte[] key) {
            late(family, key).remove(key);
            change(family).remove(key);
        }

        @Override
        public void complete() {
            if (!whole) {
                whole = true;
                changedSinceFreeze = null;
            }
        }

        @Override
        public CompletableFuture<OwnerRecord> flush(Pack pack) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sealed() {}

        @Override
        public void aborted() {}
    }
}
