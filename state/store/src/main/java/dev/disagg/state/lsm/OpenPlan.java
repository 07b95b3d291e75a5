// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore.Parent;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a store opened from manifests consists of. Pure.
 *
 * <p>Parents cover disjoint key groups, so their trees stand side by side: runs keep their order within a parent, and no
 * key is in two parents' clips. Only sources are not clipped; those of several parents are to be read and put together.
 *
 * @param tables of all families, clipped; sources only when there is one parent
 * @param sources per parent, its tables of sources, when there are several parents
 * @param shared tables of shared runs that the parents link, each once
 * @param headers the callers' headers, in the order of the parents
 * @param continued the record that the next manifest may be a delta to; null when the clips or names differ from it
 */
public record OpenPlan(
        List<ManifestTable> tables,
        List<List<ManifestTable>> sources,
        List<SharedTable> shared,
        List<byte[]> headers,
        @Nullable OwnerRecord continued) {

    /**
     * @param owner for messages
     * @param range the groups of the store to open
     */
    public static OpenPlan of(String owner, KeyRange range, List<Parent> parents) {
        List<byte[]> headers = new ArrayList<>();
        List<Manifest> manifests = new ArrayList<>();
        Set<SharedTable> shared = new LinkedHashSet<>();
        for (Parent parent : parents) {
            Manifest manifest = Manifest.of(owner, parent.manifest());
            if (!manifest.range().equals(parent.range())) {
                throw new Invalid("manifest to open " + owner + " from was written for " + manifest.range()
                        + " and given as " + parent.range() + ": pass the range that it was written for");
            }
            for (Manifest other : manifests) {
                if (Clip.intersection(other.range(), manifest.range()) != null) {
                    throw new Invalid("manifests to open " + owner + " from overlap: " + other.range() + " and "
                            + manifest.range() + ": pass manifests of one checkpoint");
                }
            }
            manifests.add(manifest);
            shared.addAll(manifest.shared());
            headers.add(manifest.callerHeader());
        }
        if (parents.size() == 1 && parents.get(0).range().equals(range)) {
            return new OpenPlan(
                    manifests.get(0).tables(),
                    List.of(),
                    List.copyOf(shared),
                    headers,
                    parents.get(0).manifest());
        }
        return sideBySide(range, manifests, List.copyOf(shared), headers);
    }

    private static OpenPlan sideBySide(
            KeyRange range, List<Manifest> manifests, List<SharedTable> shared, List<byte[]> headers) {
        List<ManifestTable> tables = new ArrayList<>();
        List<List<ManifestTable>> sources = new ArrayList<>();
        long number = 0;
        long firstRun = 0;
        for (Manifest manifest : manifests) {
            List<ManifestTable> ofParent = new ArrayList<>();
            long lastRun = firstRun;
            for (ManifestTable table : manifest.tables()) {
                KeyRange clip = Clip.intersection(table.clip(), range);
                if (Clip.applies(table.family()) && (clip == null || !mayHoldKeys(table, clip))) {
                    continue;
                }
                lastRun = Math.max(lastRun, firstRun + table.run());
                ManifestTable linked = table.numbered(++number, firstRun + table.run());
                linked = Clip.applies(table.family()) && clip != null ? linked.clipped(clip) : linked;
                if (table.family() == Family.SOURCES && manifests.size() > 1) {
                    ofParent.add(linked);
                } else {
                    tables.add(linked);
                }
            }
            sources.add(ofParent);
            firstRun = lastRun + 1;
        }
        return new OpenPlan(List.copyOf(tables), manifests.size() > 1 ? sources : List.of(), shared, headers, null);
    }

    private static boolean mayHoldKeys(ManifestTable table, KeyRange clip) {
        return !Clip.ordersByGroup(table.family())
                || table.info().overlaps(Clip.firstKey(table.family(), clip), Clip.endKey(table.family(), clip));
    }

    /** The greatest run number in use. */
    public long lastRun() {
        return tables.stream().mapToLong(ManifestTable::run).max().orElse(0);
    }

    /** The greatest table number in use. */
    public long lastNumber() {
        return tables.stream().mapToLong(ManifestTable::number).max().orElse(0);
    }
}
