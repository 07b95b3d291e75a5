// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.Table;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One task's state as a log-structured merge tree. A sequencer: it owns the active memtables and the current
 * {@link Version}, and lets {@link Flush}, {@link Compactions} and {@link LsmSnapshot} do the work. All methods are the
 * leader's; results of background work are installed at the start of its next call.
 */
public final class LsmStore implements ByteStore {
    private static final Family[] FAMILIES = Family.values();
    private static final byte[] EMPTY = {};

    private final String owner;
    private final KeyRange range;
    private final LsmShared shared;
    private final Flush flush;
    private final Compactions compactions;
    private final HandOver handOver = new HandOver();
    private final Stall stall;
    private final Map<Family, Memtable> active = new EnumMap<>(Family.class);
    private final Map<Family, MemoryPool.Account> accounts = new EnumMap<>(Family.class);
    private final AtomicLong numbers;
    private final LinkedRuns linked;

    private Version version;
    private long lastRun;
    private OwnerRecord lastSealed;
    private @Nullable DisaggException failure;
    private boolean closed;
    private long flushes;
    /** The snapshot that is still written to. */
    private @Nullable LsmSnapshot open;

    LsmStore(String owner, KeyRange range, LsmShared shared, OpenPlan plan) {
        this.owner = owner;
        this.range = range;
        this.shared = shared;
        this.numbers = new AtomicLong(plan.lastNumber());
        this.lastRun = plan.lastRun();
        OwnerRecord continued = plan.continued();
        this.lastSealed = continued == null ? shared.ufs().emptyOwner() : continued;
        this.version = Version.of(shared.readers().runs(plan.tables()));
        this.linked = new LinkedRuns(shared.readers(), plan.shared());
        this.flush = new Flush(shared, range, numbers);
        this.compactions = new Compactions(this, owner, range, shared, handOver);
        this.stall = new Stall(owner, shared.options().stallMillis());
        for (Family family : FAMILIES) {
            active.put(family, newMemtable(family));
            accounts.put(family, shared.pool().open(family));
        }
    }

    static Memtable newMemtable(Family family) {
        return family == Family.ROWS ? new RowMemtable() : new SortedMemtable(false);
    }

    /** Takes an entry of a parent's sources when there are several parents; the first parent's stays. */
    void loadSource(Entry entry) {
        Memtable sources = memtable(Family.SOURCES);
        if (sources.get(entry.key()) == null) {
            sources.put(entry.key(), entry.value());
        }
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        enter();
        Clip.check(family, range, key);
        memtable(family).put(key, value);
        written(family);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        enter();
        Clip.check(family, range, key);
        memtable(family).append(key, tail);
        written(family);
    }

    @Override
    public void delete(Family family, byte[] key) {
        enter();
        Clip.check(family, range, key);
        memtable(family).delete(key);
        written(family);
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Family family, byte[] key) {
        enter();
        Slot slot = memtable(family).get(key);
        if (slot != null && slot.kind != EntryKind.MERGE) {
            return CompletableFuture.completedFuture(slot.isDelete() ? null : slot.value());
        }
        CompletableFuture<byte @Nullable []> value = new PointRead(key, slot, version.layers(family)).run();
        if (value.isDone() && !value.isCompletedExceptionally()) {
            return value;
        }
        Version reading = version.pin();
        return ReadFailure.named(owner, value.whenComplete((done, failed) -> reading.unpin()));
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        enter();
        Version reading = version.pin();
        Long rowHash = rowPrefix == null ? null : Table.rowHash(rowPrefix);
        List<Source> sources = new ArrayList<>();
        add(sources, memtable(family).snapshot(from, to, rowPrefix));
        for (Layer layer : reading.layers(family)) {
            if (layer instanceof MemLayer mem) {
                add(sources, mem.memtable.snapshot(from, to, rowPrefix));
            } else if (layer instanceof RunLayer run) {
                sources.add(new RunSource(run, from, to, rowHash, true));
            }
        }
        return new MergeCursor(owner, sources, reading::unpin);
    }

    private static void add(List<Source> sources, Memtable.Snapshot snapshot) {
        if (snapshot != Memtable.Snapshot.NOTHING) {
            sources.add(new MemSource(snapshot));
        }
    }

    /**
     * Rows whose window ends before this time may go: nobody reads them any more. Compaction drops them; until then they
     * are still seen. Never moves backwards. The key-global row has the latest window end and stays.
     *
     * @param windowEndMillisExclusive milliseconds since the epoch
     */
    public void dropRowsBelow(long windowEndMillisExclusive) {
        compactions.dropRowsBelow(windowEndMillisExclusive);
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        enter();
        requireComplete();
        for (Family family : FAMILIES) {
            flushIfLarge(rotate(family, false));
        }
        return snapshot(header, List.of());
    }

    @Override
    public Late freezeBeforeLast(long checkpoint, byte[] header) {
        enter();
        requireComplete();
        List<MemLayer> written = new ArrayList<>();
        for (Family family : FAMILIES) {
            boolean late = family != Family.INBOX && family != Family.SOURCES;
            MemLayer frozen = rotate(family, late);
            if (late && frozen != null) {
                frozen.open = true;
                written.add(frozen);
            } else {
                flushIfLarge(frozen);
            }
        }
        LsmSnapshot snapshot = snapshot(header, List.copyOf(written));
        open = snapshot;
        return snapshot;
    }

    private LsmSnapshot snapshot(byte[] header, List<MemLayer> written) {
        return new LsmSnapshot(
                this,
                owner,
                version.pin(),
                linked.hold(),
                lastSealed,
                Manifest.header(range, header),
                flush,
                shared.flushes(),
                written);
    }

    private void requireComplete() {
        if (open != null) {
            throw new IllegalStateException(
                    "state of " + owner + " is frozen again before its last freeze is complete");
        }
    }

    private void flushIfLarge(@Nullable MemLayer frozen) {
        if (frozen != null && frozen.memoryBytes >= shared.options().ownObjectBytes()) {
            startFlush(frozen);
        }
    }

    /** Before a write that comes late. */
    void checkLate(Family family, byte[] key) {
        enter();
        Clip.check(family, range, key);
    }

    /** Nothing more comes late to these memtables. */
    void completed(List<MemLayer> written) {
        if (closed) {
            return;
        }
        open = null;
        for (MemLayer layer : written) {
            long bytes = layer.memtable.memoryBytes();
            shared.pool().thaw(layer.memoryBytes - bytes);
            layer.memoryBytes = bytes;
            layer.open = false;
            flushIfLarge(layer);
        }
    }

    @Override
    public void link(SharedRun run) {
        linked.link(run);
    }

    @Override
    public void unlink(String run) {
        linked.unlink(run);
    }

    @Override
    public Map<String, SharedRun> linked() {
        return linked.all();
    }

    /** The snapshot's pack is durable: memtables that it holds are replaced by its tables. */
    void sealed(OwnerRecord record, Map<MemLayer, List<TableHandle>> packed) {
        lastSealed = record;
        if (!closed) {
            packed.forEach(this::install);
        }
    }

    /** The snapshot was given up: what is large enough to press on memory is not kept for the next one. */
    void aborted() {
        if (!closed && shared.pool().frozenFull()) {
            version.frozen().stream()
                    .filter(layer -> layer.backgroundFlush == null && !layer.open)
                    .forEach(this::startFlush);
        }
    }

    /** Takes over what the background finished, then throws what it failed with. */
    private void enter() {
        if (closed) {
            throw new Invalid("store of " + owner + " is closed");
        }
        if (handOver.waiting()) {
            handOver.drain();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Keeps the first failure of background work for the next call. */
    void keep(DisaggException failed) {
        if (failure == null) {
            failure = failed;
        }
    }

    /** After a write: accounts for its memory, and flushes when the pool says so. */
    private void written(Family family) {
        MemoryPool.Account account = account(family);
        long bytes = memtable(family).memoryBytes();
        if (Math.abs(bytes - account.bytes()) < shared.pool().grainBytes() && !account.flushWanted()) {
            return;
        }
        account.set(bytes);
        if (account.flushWanted()) {
            flush(family);
        }
        if (!shared.pool().activeFull()) {
            return;
        }
        MemoryPool.Account largest = shared.pool().largest();
        if (largest != null && accounts.containsValue(largest)) {
            flush(largest.family);
        } else if (largest != null) {
            largest.wantFlush();
        }
        if (shared.pool().activeOverfull()) {
            flush(family);
        }
    }

    private void flush(Family family) {
        MemLayer frozen = rotate(family, false);
        if (frozen == null) {
            account(family).freeze(0);
            return;
        }
        startFlush(frozen);
        // Gathered layers wait for a checkpoint; when memory is needed they do not, nor do the compactions behind them.
        version.frozen().stream()
                .filter(layer -> layer.family == family && layer.gathered && layer.backgroundFlush == null)
                .forEach(this::startFlush);
        if (version.flushedRuns(family) >= shared.options().stallRuns()) {
            stall.await(compactions.running(family));
            handOver.drain();
        }
        if (shared.pool().frozenFull()) {
            stall.await(oldestFlush());
            handOver.drain();
        }
    }

    private @Nullable CompletableFuture<Void> oldestFlush() {
        MemLayer oldest = null;
        for (MemLayer layer : version.frozen()) {
            if (layer.handedOver != null && (oldest == null || layer.run() < oldest.run())) {
                oldest = layer;
            }
        }
        return oldest == null ? null : oldest.handedOver;
    }

    /** Ends the active memtable of a family; null when it is empty, unless {@code evenEmpty}. */
    private @Nullable MemLayer rotate(Family family, boolean evenEmpty) {
        Memtable memtable = memtable(family);
        if (memtable.entries() == 0 && !evenEmpty) {
            return null;
        }
        OlderKeys older = OlderKeys.of(family, version.layers(family));
        MemLayer frozen = new MemLayer(family, memtable, ++lastRun, older);
        account(family).freeze(frozen.memoryBytes);
        active.put(family, newMemtable(family));
        become(version.withFrozen(frozen));
        return frozen;
    }

    private void startFlush(MemLayer layer) {
        CompletableFuture<List<TableHandle>> flushing = flush.inBackground(layer);
        layer.backgroundFlush = flushing;
        layer.handedOver = flushing.handle((tables, failed) -> {
            handOver.post(
                    failed == null
                            ? new HandOver.Result(() -> flushed(layer, tables), () -> letGo(layer, tables))
                            : new HandOver.Result(() -> keep(ReadFailure.of(owner, failed)), () -> {}));
            return null;
        });
    }

    private void flushed(MemLayer layer, List<TableHandle> tables) {
        flushes++;
        if (layer.awaited) {
            tables.forEach(TableHandle::name);
        }
        if (version.contains(layer)) {
            install(layer, tables);
        } else {
            letGo(layer, tables);
        }
    }

    private void install(MemLayer layer, List<TableHandle> tables) {
        if (version.contains(layer)) {
            become(version.withFlushed(layer, tables));
            shared.pool().thaw(layer.memoryBytes);
            compactions.consider(layer.family);
        }
    }

    /** Tables that no version will hold. */
    private static void letGo(MemLayer layer, List<TableHandle> tables) {
        for (TableHandle table : tables) {
            if (layer.awaited) {
                table.name();
            }
            table.retain();
            table.release();
        }
    }

    Version version() {
        return version;
    }

    long newTableNumber() {
        return numbers.incrementAndGet();
    }

    long newRun() {
        return ++lastRun;
    }

    /** Makes this the current version. */
    void become(Version next) {
        Version before = version;
        version = next;
        before.unpin();
    }

    /** Counters and shape, for metrics. Leader. */
    public LsmStats stats() {
        long bytes = 0;
        int tables = 0;
        int flushedRuns = 0;
        for (TableHandle table : version.tables()) {
            tables++;
            bytes += table.meta.range().length();
        }
        for (Family family : FAMILIES) {
            flushedRuns += version.flushedRuns(family);
        }
        return new LsmStats(
                flushes,
                compactions.installed(),
                compactions.unanswered(),
                stall.waits(),
                stall.timeouts(),
                tables,
                flushedRuns,
                bytes);
    }

    @Override
    public long memoryBytes() {
        long bytes = 0;
        for (Memtable memtable : active.values()) {
            bytes += memtable.memoryBytes();
        }
        for (MemLayer layer : version.frozen()) {
            bytes += layer.memoryBytes;
        }
        return bytes;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (open != null) {
            open.storeClosed();
            open = null;
        }
        compactions.close();
        handOver.close();
        version.frozen().forEach(layer -> shared.pool().thaw(layer.memoryBytes));
        accounts.values().forEach(MemoryPool.Account::close);
        for (Family family : FAMILIES) {
            active.put(family, new SortedMemtable(false));
        }
        version.unpin();
    }

    private Memtable memtable(Family family) {
        return present(active.get(family), family);
    }

    private MemoryPool.Account account(Family family) {
        return present(accounts.get(family), family);
    }

    private static <T> T present(@Nullable T value, Family family) {
        if (value == null) {
            throw new IllegalStateException("nothing for " + family);
        }
        return value;
    }
}
