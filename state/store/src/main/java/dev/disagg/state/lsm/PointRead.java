// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.Lookup;
import dev.disagg.state.table.TableEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Finds one key's value: layer by layer from the newest, gathering tails, until a put or delete ends the search. Layers
 * in memory and cached blocks are asked on the spot; a cold table, whose filter is asked first, by one read at a time.
 */
final class PointRead {
    private final byte[] key;
    private final List<Layer> layers;
    private final List<TableEntry> found = new ArrayList<>(2);
    private int next;

    /** @param active what the active memtable says of the key; null when nothing */
    PointRead(byte[] key, @Nullable Slot active, List<Layer> layers) {
        this.key = key;
        this.layers = layers;
        if (active != null) {
            found.add(new TableEntry(key, active.kind, active.value()));
        }
    }

    /** The value, or null. Not complete when a read was needed. */
    CompletableFuture<byte @Nullable []> run() {
        while (!settled() && next < layers.size()) {
            Layer layer = layers.get(next++);
            if (layer instanceof MemLayer mem) {
                Slot slot = mem.memtable.get(key);
                if (slot != null) {
                    found.add(new TableEntry(key, slot.kind, slot.value()));
                }
            } else if (layer instanceof RunLayer run) {
                TableHandle table = run.find(key);
                if (table == null) {
                    continue;
                }
                Lookup resident = table.table.getIfResident(key);
                if (resident == null) {
                    return table.table.get(key).thenCompose(entry -> {
                        take(entry);
                        return run();
                    });
                }
                take(resident.entry());
            }
        }
        TableEntry value = found.isEmpty() ? null : Fold.fold(found, false);
        return CompletableFuture.completedFuture(value == null ? null : value.value());
    }

    private void take(@Nullable TableEntry entry) {
        if (entry != null) {
            found.add(entry);
        }
    }

    private boolean settled() {
        return !found.isEmpty() && found.get(found.size() - 1).kind() != EntryKind.MERGE;
    }
}
