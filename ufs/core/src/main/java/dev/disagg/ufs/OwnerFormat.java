// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of owners' records. docs/format/owner-record.md draws them; they never change under the same version. A
 * delta carries the checksum of the part before it, so a chain cannot be put together wrongly.
 */
final class OwnerFormat {
    private static final String BASE = "DUOB";
    private static final String DELTA = "DUOD";
    private static final int VERSION = 1;
    private static final int MIN_LINK_BYTES = 5;
    private static final String REMEDY = "restore from another checkpoint";

    private OwnerFormat() {}

    /** What a delta says: unlink first, then link. */
    record Change(Collection<Link> link, Collection<String> unlink, byte @Nullable [] header) {}

    /** The links after some parts, and the checksum that the next delta carries. */
    record Content(TreeMap<String, Link> links, byte[] header, int crc) {}

    static byte[] base(Map<String, Link> links, byte[] header) {
        RecordWriter to = new RecordWriter(BASE, VERSION);
        to.bytes(header);
        writeLinks(to, links.values());
        return to.end();
    }

    static byte[] delta(Change change, int crcBefore) {
        RecordWriter to = new RecordWriter(DELTA, VERSION);
        to.fixed32(crcBefore);
        to.flag(change.header() != null);
        if (change.header() != null) {
            to.bytes(change.header());
        }
        to.varint(change.unlink().size());
        change.unlink().forEach(to::string);
        writeLinks(to, change.link());
        return to.end();
    }

    /** The checksum at the end of an encoded part. */
    static int crc(byte[] part) {
        return ByteBuffer.wrap(part).order(ByteOrder.LITTLE_ENDIAN).getInt(part.length - RecordWriter.CRC_BYTES);
    }

    /** Reads a base and its deltas. */
    static Content read(List<ObjectRange> ranges, List<ByteBuffer> parts) {
        RecordReader from = new RecordReader(parts.get(0), BASE, VERSION, describe("base", ranges.get(0)), REMEDY);
        byte[] header = from.bytes();
        TreeMap<String, Link> links = new TreeMap<>();
        readLinks(from, links);
        from.end();
        Content content = new Content(links, header, from.crc());
        for (int i = 1; i < parts.size(); i++) {
            content = apply(
                    content,
                    new RecordReader(parts.get(i), DELTA, VERSION, describe("delta " + i, ranges.get(i)), REMEDY));
        }
        return content;
    }

    private static Content apply(Content before, RecordReader from) {
        int expected = from.fixed32();
        if (expected != before.crc()) {
            throw from.corrupt("it follows a part with checksum " + Integer.toHexString(expected) + ", not one with "
                    + Integer.toHexString(before.crc()));
        }
        byte[] header = from.flag() ? from.bytes() : before.header();
        int unlinked = from.count(1);
        for (int i = 0; i < unlinked; i++) {
            String name = from.string();
            if (before.links().remove(name) == null) {
                throw from.corrupt("it unlinks '" + name + "', which is not linked");
            }
        }
        readLinks(from, before.links());
        from.end();
        return new Content(before.links(), header, from.crc());
    }

    private static void writeLinks(RecordWriter to, Collection<Link> links) {
        List<ObjectRange> ranges = new ArrayList<>(links.size());
        links.forEach(link -> ranges.add(link.range()));
        ObjectTable objects = ObjectTable.of(ranges);
        objects.write(to);
        to.varint(links.size());
        for (Link link : links) {
            to.string(link.name());
            objects.writeRange(to, link.range());
            to.bytes(link.attributes());
        }
    }

    private static void readLinks(RecordReader from, Map<String, Link> links) {
        ObjectTable objects = ObjectTable.read(from);
        int count = from.count(MIN_LINK_BYTES);
        for (int i = 0; i < count; i++) {
            String name = from.string();
            links.put(name, new Link(name, objects.readRange(from), from.bytes()));
        }
    }

    private static String describe(String part, ObjectRange range) {
        return "owner record, " + part + ", in object '" + range.object() + "' at " + range.offset() + "+"
                + range.length();
    }
}
