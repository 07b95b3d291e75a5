// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The links of one owner (a task's manifest, or the job's own files) at one moment, and where they are stored: one base
 * and at most {@value #MAX_DELTAS} deltas. Immutable, thread-safe.
 */
public interface OwnerRecord {
    int MAX_DELTAS = 16;

    /** By name. */
    Map<String, Link> links();

    /** Bytes of the owner's own, opaque to this module; never modified. */
    byte[] header();

    /** Base first, then deltas in order; empty for a record that was never stored. */
    List<ObjectRange> parts();

    /**
     * The record with these changes, appended to {@code pack} as one delta, or as a new base when the deltas are full.
     * When nothing would change (no links either way and the same header) returns {@code this} and appends nothing.
     * The result may be named in a checkpoint only after the pack is sealed.
     */
    OwnerRecord with(Collection<Link> link, Collection<String> unlink, byte[] header, Pack pack);
}
