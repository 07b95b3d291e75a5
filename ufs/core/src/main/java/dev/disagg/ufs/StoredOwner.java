// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An owner's record as one process holds it. */
final class StoredOwner implements OwnerRecord {
    private static final byte[] NOTHING = {};

    private final OwnedObjects owned;
    private final SortedMap<String, Link> links;
    private final byte[] header;
    private final List<ObjectRange> parts;
    private final int crc;

    private StoredOwner(
            OwnedObjects owned, SortedMap<String, Link> links, byte[] header, List<ObjectRange> parts, int crc) {
        this.owned = owned;
        this.links = Collections.unmodifiableSortedMap(links);
        this.header = header;
        this.parts = parts;
        this.crc = crc;
    }

    static StoredOwner empty(OwnedObjects owned) {
        return new StoredOwner(owned, new TreeMap<>(), NOTHING, List.of(), 0);
    }

    static StoredOwner read(OwnedObjects owned, List<ObjectRange> ranges, List<ByteBuffer> parts) {
        OwnerFormat.Content content = OwnerFormat.read(ranges, parts);
        StoredOwner record =
                new StoredOwner(owned, content.links(), content.header(), List.copyOf(ranges), content.crc());
        owned.remember(record);
        return record;
    }

    @Override
    public Map<String, Link> links() {
        return links;
    }

    @Override
    public byte[] header() {
        return header;
    }

    @Override
    public List<ObjectRange> parts() {
        return parts;
    }

    @Override
    public OwnerRecord with(Collection<Link> link, Collection<String> unlink, byte[] newHeader, Pack pack) {
        TreeMap<String, Link> next = new TreeMap<>(links);
        unlink.forEach(next::remove);
        link.forEach(each -> next.put(each.name(), each));
        OwnerFormat.Change change = change(link, unlink, next, newHeader);
        if (change.link().isEmpty() && change.unlink().isEmpty() && change.header() == null) {
            return this;
        }
        boolean rebase = parts.isEmpty()
                || parts.size() > MAX_DELTAS
                || change.link().size() == next.size() && change.header() != null;
        byte[] bytes = rebase ? OwnerFormat.base(next, newHeader) : OwnerFormat.delta(change, crc);
        List<ObjectRange> stored = rebase ? new ArrayList<>() : new ArrayList<>(parts);
        // Named before the record exists anywhere: from here on nobody may discard these objects.
        change.link().forEach(each -> owned.named(each.range().object()));
        stored.add(pack.append(List.of(ByteBuffer.wrap(bytes))));
        StoredOwner record = new StoredOwner(owned, next, newHeader, List.copyOf(stored), OwnerFormat.crc(bytes));
        owned.remember(record);
        return record;
    }

    /** Only what differs, whatever was asked for. */
    private OwnerFormat.Change change(
            Collection<Link> link, Collection<String> unlink, Map<String, Link> next, byte[] newHeader) {
        TreeSet<String> removed = new TreeSet<>();
        for (String name : unlink) {
            if (links.containsKey(name) && !next.containsKey(name)) {
                removed.add(name);
            }
        }
        TreeMap<String, Link> changed = new TreeMap<>();
        for (Link each : link) {
            Link after = next.get(each.name());
            if (after != null && !same(links.get(each.name()), after)) {
                changed.put(after.name(), after);
            }
        }
        return new OwnerFormat.Change(changed.values(), removed, Arrays.equals(header, newHeader) ? null : newHeader);
    }

    private static boolean same(@Nullable Link before, Link after) {
        return before != null
                && before.range().equals(after.range())
                && Arrays.equals(before.attributes(), after.attributes());
    }
}
