// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Everything below the active memtables at one moment: per family its layers, newest first. Immutable; an edit gives a new
 * version. Holds its tables while anybody pins it: the store pins its current one, a read or cursor the one it began with.
 *
 * <p>Invariant: of two layers that may hold the same key, the one earlier in the list is the newer. Runs of level 1 stand
 * side by side (after a merge of tasks): their clips are disjoint, so that their order does not matter.
 */
final class Version {
    private static final Comparator<Layer> NEWEST_FIRST = Comparator.comparingInt(Version::level)
            .thenComparing(Comparator.comparingLong(Layer::run).reversed());

    private final Map<Family, List<Layer>> layers;
    private final AtomicInteger pins = new AtomicInteger(1);

    private Version(Map<Family, List<Layer>> layers) {
        this.layers = layers;
        forEachTable(TableHandle::retain);
    }

    /** A version pinned once, by the caller. */
    static Version of(Collection<RunLayer> runs) {
        Map<Family, List<Layer>> layers = new EnumMap<>(Family.class);
        for (RunLayer run : runs) {
            layers.computeIfAbsent(run.family(), family -> new ArrayList<>()).add(run);
        }
        layers.replaceAll((family, list) -> sorted(list));
        return new Version(layers);
    }

    List<Layer> layers(Family family) {
        return layers.getOrDefault(family, List.of());
    }

    /** This version with one more memtable, the newest of its family. */
    Version withFrozen(MemLayer frozen) {
        List<Layer> edited = new ArrayList<>(layers(frozen.family));
        edited.add(frozen);
        return with(frozen.family, edited);
    }

    /** This version with a memtable replaced by its tables (none when nothing was left to write). */
    Version withFlushed(MemLayer flushed, List<TableHandle> tables) {
        List<Layer> edited = new ArrayList<>(layers(flushed.family));
        edited.remove(flushed);
        if (!tables.isEmpty()) {
            edited.add(RunLayer.of(tables));
        }
        return with(flushed.family, edited);
    }

    /** This version with some tables replaced by others, which join the run that their numbers name. */
    Version withReplaced(Family family, Set<TableHandle> gone, List<TableHandle> come) {
        List<Layer> edited = new ArrayList<>();
        List<TableHandle> joining = new ArrayList<>(come);
        for (Layer layer : layers(family)) {
            if (layer instanceof RunLayer run) {
                List<TableHandle> tables = new ArrayList<>(run.tables());
                tables.removeAll(gone);
                joining.removeIf(table -> isOf(table, run) && tables.add(table));
                if (!tables.isEmpty()) {
                    tables.sort(
                            Comparator.comparing(table -> table.meta.info().smallestKey(), Arrays::compareUnsigned));
                    edited.add(RunLayer.of(tables));
                }
            } else {
                edited.add(layer);
            }
        }
        if (!joining.isEmpty()) {
            edited.add(RunLayer.of(joining));
        }
        return with(family, edited);
    }

    private static boolean isOf(TableHandle table, RunLayer run) {
        return table.meta.level() == run.level() && table.meta.run() == run.run();
    }

    private Version with(Family family, List<Layer> edited) {
        Map<Family, List<Layer>> copy = new EnumMap<>(Family.class);
        copy.putAll(layers);
        copy.put(family, sorted(edited));
        return new Version(copy);
    }

    private static List<Layer> sorted(List<Layer> list) {
        List<Layer> sorted = new ArrayList<>(list);
        sorted.sort(NEWEST_FIRST);
        return List.copyOf(sorted);
    }

    private static int level(Layer layer) {
        return layer instanceof RunLayer run ? run.level() : 0;
    }

    boolean contains(MemLayer layer) {
        return layers(layer.family).contains(layer);
    }

    /** Whether all these tables are still part of it. */
    boolean containsAll(Family family, Collection<TableHandle> tables) {
        Set<TableHandle> here = new HashSet<>();
        for (Layer layer : layers(family)) {
            if (layer instanceof RunLayer run) {
                here.addAll(run.tables());
            }
        }
        return here.containsAll(tables);
    }

    List<MemLayer> frozen() {
        List<MemLayer> frozen = new ArrayList<>();
        for (List<Layer> list : layers.values()) {
            for (Layer layer : list) {
                if (layer instanceof MemLayer mem) {
                    frozen.add(mem);
                }
            }
        }
        return frozen;
    }

    List<TableHandle> tables() {
        List<TableHandle> tables = new ArrayList<>();
        forEachTable(tables::add);
        return tables;
    }

    /** Number of runs of level 0. */
    int flushedRuns(Family family) {
        int runs = 0;
        for (Layer layer : layers(family)) {
            if (layer instanceof RunLayer run && run.level() == 0) {
                runs++;
            }
        }
        return runs;
    }

    private void forEachTable(Consumer<TableHandle> action) {
        for (List<Layer> list : layers.values()) {
            for (Layer layer : list) {
                if (layer instanceof RunLayer run) {
                    run.tables().forEach(action);
                }
            }
        }
    }

    /** Only by who holds a pin already, or by the leader for the current version. */
    Version pin() {
        pins.incrementAndGet();
        return this;
    }

    void unpin() {
        if (pins.decrementAndGet() == 0) {
            forEachTable(TableHandle::release);
        }
    }
}
