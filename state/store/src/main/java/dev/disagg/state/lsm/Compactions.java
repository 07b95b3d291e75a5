// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Unavailable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A store's compactions: at most one in flight per family. Submits what {@link CompactionPicker} chooses whenever a run
 * was added, and installs the result as a new version if its inputs are still there. The leader's.
 *
 * <p>Small runs are not submitted but gathered into a memtable, which the next checkpoint writes into its pack: else each of
 * many nearly idle tasks would cost requests of its own.
 *
 * <p>When the store or the service does not answer, the job is dropped, counted, and another one is chosen after the next
 * flush: losing every compactor never stops the store.
 */
final class Compactions {
    /** What an entry takes in a memtable, in bytes of a table: compressed there, with overhead here. */
    private static final long GATHER_EXPANSION = 4;

    private final LsmStore store;
    private final String owner;
    private final KeyRange range;
    private final LsmShared shared;
    private final HandOver handOver;
    private final Map<Family, Running> running = new EnumMap<>(Family.class);
    private long dropRowsBelowMillis = Long.MIN_VALUE;
    private long installed;
    private long unanswered;

    Compactions(LsmStore store, String owner, KeyRange range, LsmShared shared, HandOver handOver) {
        this.store = store;
        this.owner = owner;
        this.range = range;
        this.shared = shared;
        this.handOver = handOver;
    }

    private record Running(CompletableFuture<?> result, CompletableFuture<Void> handedOver) {}

    void dropRowsBelow(long windowEndMillisExclusive) {
        dropRowsBelowMillis = Math.max(dropRowsBelowMillis, windowEndMillisExclusive);
    }

    long installed() {
        return installed;
    }

    long unanswered() {
        return unanswered;
    }

    /** Completes when the family's compaction was handed over; null when none is running. */
    @Nullable
    CompletableFuture<Void> running(Family family) {
        Running now = running.get(family);
        return now == null ? null : now.handedOver;
    }

    /** Starts a compaction of the family if there is reason for one and none is running. */
    void consider(Family family) {
        if (running.containsKey(family)) {
            return;
        }
        LsmOptions options = shared.options();
        CompactionPicker.Pick pick =
                CompactionPicker.pick(family, store.version().layers(family), options.compactionRuns());
        if (pick == null) {
            return;
        }
        long bytes = pick.bytes();
        if (pick.fromFlushed()
                && bytes <= options.gatherBytes()
                && shared.pool().reserve(GATHER_EXPANSION * bytes)) {
            gather(family, pick, GATHER_EXPANSION * bytes);
            return;
        }
        CompletableFuture<CompactionResult> result = shared.compactions().submit(job(family, pick));
        Version reading = store.version().pin();
        CompletableFuture<Void> handedOver = result.handle((done, failed) -> {
            reading.unpin();
            handOver.post(
                    failed == null
                            ? new HandOver.Result(() -> install(family, pick, done), () -> discard(done))
                            : new HandOver.Result(() -> failed(family, failed), () -> {}));
            return null;
        });
        running.put(family, new Running(result, handedOver));
    }

    private void gather(Family family, CompactionPicker.Pick pick, long reservedBytes) {
        CompletableFuture<Memtable> result = new CompletableFuture<>();
        CompactionJob job = job(family, pick);
        shared.flushes().execute(() -> {
            try {
                Memtable into = LsmStore.newMemtable(family);
                new CompactionMerge(job, shared.ufs(), shared.readers(), result::isDone).gather(into);
                result.complete(into);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(ReadFailure.of(owner, e));
            }
        });
        Version reading = store.version().pin();
        CompletableFuture<Void> handedOver = result.handle((into, failed) -> {
            reading.unpin();
            Runnable giveBack = () -> shared.pool().thaw(reservedBytes);
            handOver.post(new HandOver.Result(
                    () -> {
                        if (failed == null) {
                            gathered(family, pick, into, reservedBytes);
                        } else {
                            giveBack.run();
                            failed(family, failed);
                        }
                    },
                    giveBack));
            return null;
        });
        running.put(family, new Running(result, handedOver));
    }

    private void gathered(Family family, CompactionPicker.Pick pick, Memtable into, long reservedBytes) {
        running.remove(family);
        MemLayer layer = MemLayer.gathered(family, into, pick.newestRun(), pick.older());
        boolean useful = store.version().containsAll(family, pick.tables());
        shared.pool().gathered(reservedBytes, useful && into.entries() > 0 ? layer.memoryBytes : 0);
        if (useful) {
            store.become(store.version().withGathered(pick.tables(), layer));
            installed++;
            consider(family);
        }
    }

    private CompactionJob job(Family family, CompactionPicker.Pick pick) {
        List<List<ManifestTable>> inputs = new ArrayList<>();
        for (List<TableHandle> tables : pick.inputs()) {
            inputs.add(tables.stream().map(table -> table.meta).toList());
        }
        LsmOptions options = shared.options();
        Long run = pick.run();
        return new CompactionJob(
                owner,
                family,
                range,
                inputs,
                pick.level(),
                run == null ? store.newRun() : run,
                pick.older(),
                dropRowsBelowMillis,
                options.tableBytes(),
                pick.level() == 0 ? options.flushedTables() : options.compactedTables());
    }

    private void install(Family family, CompactionPicker.Pick pick, CompactionResult result) {
        running.remove(family);
        if (!store.version().containsAll(family, pick.tables())) {
            discard(result);
            return;
        }
        List<TableHandle> outputs = new ArrayList<>();
        for (ManifestTable table : result.tables()) {
            ManifestTable numbered = table.numbered(store.newTableNumber(), table.run());
            OwnObject object = new OwnObject(shared.ufs(), table.range().object(), 1);
            outputs.add(shared.readers().open(numbered, object));
        }
        store.become(store.version().withReplaced(family, pick.tables(), outputs));
        installed++;
        consider(family);
    }

    private void failed(Family family, Throwable failure) {
        running.remove(family);
        DisaggException cause = ReadFailure.of(owner, failure);
        if (cause instanceof Unavailable) {
            unanswered++;
        } else {
            store.keep(cause);
        }
    }

    private void discard(CompactionResult result) {
        for (ManifestTable table : result.tables()) {
            shared.ufs().discard(table.range().object());
        }
    }

    void close() {
        for (Running each : running.values()) {
            each.result.cancel(false);
        }
        running.clear();
    }
}
