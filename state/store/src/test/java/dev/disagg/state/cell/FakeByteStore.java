// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A store of sorted maps. When {@link #delayed}, every read waits until the test completes it, on another thread. */
final class FakeByteStore implements ByteStore {
    private final Map<Family, TreeMap<byte[], byte[]>> families = new EnumMap<>(Family.class);
    private final List<Runnable> waiting = new ArrayList<>();
    boolean delayed;
    boolean closed;
    int gets;
    int scans;
    int puts;
    int appends;
    int deletes;
    int openCursors;

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
        map(family).put(key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        appends++;
        map(family).merge(key, tail, (base, more) -> {
            byte[] all = Arrays.copyOf(base, base.length + more.length);
            System.arraycopy(more, 0, all, base.length, more.length);
            return all;
        });
    }

    @Override
    public void delete(Family family, byte[] key) {
        deletes++;
        map(family).remove(key);
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
        if (rowPrefix != null && !Arrays.equals(rowPrefix, Arrays.copyOf(from, rowPrefix.length))) {
            throw new AssertionError("scan leaves its row");
        }
        var range = to == null ? map(family).tailMap(from, true) : map(family).subMap(from, true, to, false);
        List<Entry> entries = new ArrayList<>();
        range.forEach((key, value) -> entries.add(new Entry(key, value)));
        return new Cursor() {
            private int at;
            private boolean open = true;

            @Override
            public CompletableFuture<List<Entry>> next(int maxBytes) {
                List<Entry> page = new ArrayList<>();
                for (int bytes = 0; at < entries.size() && (page.isEmpty() || bytes < maxBytes); at++) {
                    Entry entry = entries.get(at);
                    page.add(entry);
                    bytes += entry.key().length + entry.value().length;
                }
                if (page.isEmpty()) {
                    close();
                    // As a real store: what a cursor already knows comes at once.
                    return CompletableFuture.completedFuture(page);
                }
                return answer(page);
            }

            @Override
            public void close() {
                openCursors -= open ? 1 : 0;
                open = false;
            }
        };
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        Snapshot snapshot = new Snapshot(header);
        families.forEach((family, entries) -> snapshot.families.put(family, new TreeMap<>(entries)));
        return snapshot;
    }

    @Override
    public long memoryBytes() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    static final class Snapshot implements Frozen {
        final Map<Family, TreeMap<byte[], byte[]>> families = new EnumMap<>(Family.class);
        final byte[] header;

        Snapshot(byte[] header) {
            this.header = header;
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
