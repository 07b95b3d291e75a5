// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.SharedRun;
import dev.disagg.ufs.Link;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The shared runs that one store links. Leader only, but for what it hands out. */
public final class LinkedRuns {
    private final Map<String, SharedRun> runs = new TreeMap<>();

    /** @param tables that the parents' manifests name */
    public LinkedRuns(TableReaders readers, Collection<SharedTable> tables) {
        Map<String, List<SharedTable>> byObject = new LinkedHashMap<>();
        tables.forEach(table -> byObject.computeIfAbsent(table.range().object(), object -> new ArrayList<>())
                .add(table));
        byObject.forEach((object, ofRun) -> {
            ofRun.sort(java.util.Comparator.comparingLong(table -> table.range().offset()));
            runs.put(object, new StoredRun(ofRun, readers, null));
        });
    }

    public void link(SharedRun run) {
        runs.put(run.name(), run);
    }

    public void unlink(String run) {
        runs.remove(run);
    }

    public Map<String, SharedRun> all() {
        return Collections.unmodifiableMap(new TreeMap<>(runs));
    }

    /** What is linked now, held until it is let go: a manifest that is to name the runs is on its way. */
    public Held hold() {
        return new Held(List.copyOf(runs.values()));
    }

    /** The runs of one moment. Thread-safe. */
    public static final class Held {
        private final List<SharedRun> runs;
        private final AtomicBoolean released = new AtomicBoolean();

        private Held(List<SharedRun> runs) {
            this.runs = runs;
            runs.forEach(SharedRun::retain);
        }

        /** As the manifest names them. */
        public List<Link> links() {
            List<Link> links = new ArrayList<>();
            for (SharedRun run : runs) {
                ((StoredRun) run).tables().forEach(table -> links.add(table.link()));
            }
            return links;
        }

        /** Idempotent. */
        public void release() {
            if (released.compareAndSet(false, true)) {
                runs.forEach(SharedRun::release);
            }
        }
    }
}
