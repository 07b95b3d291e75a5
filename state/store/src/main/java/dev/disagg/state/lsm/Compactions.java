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
 * <p>When the store or the service does not answer, the job is dropped, counted, and another one is chosen after the next
 * flush: losing every compactor never stops the store.
 */
final class Compactions {
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

    private record Running(CompletableFuture<CompactionResult> result, CompletableFuture<Void> handedOver) {}

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
