// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.TableInfo;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import java.nio.ByteBuffer;

/**
 * A table as a manifest names it: a {@link Link} whose attributes are drawn in {@code docs/format/manifest.md}.
 *
 * @param number unique within the manifest; its text is the link's name
 * @param level 0 for flushed runs, which may overlap each other; 1 for the runs below
 * @param run tables of one run do not overlap; of two runs of one family and level, the greater number is the newer
 * @param clip the key groups whose entries count; the others are as if they were not there
 * @param written the key groups that the table was written for
 * @param range where its bytes are
 */
public record ManifestTable(
        long number,
        Family family,
        int level,
        long run,
        KeyRange clip,
        KeyRange written,
        ObjectRange range,
        TableInfo info) {
    private static final byte FORMAT = 1;
    private static final int FIXED_BYTES = 3 + 8 + 4 * 2;

    /** The link's name. */
    public String name() {
        return Long.toString(number, 36);
    }

    /** Unique among all tables of a store. */
    String cacheKey() {
        return range.object() + "@" + range.offset();
    }

    ManifestTable numbered(long newNumber, long newRun) {
        return new ManifestTable(newNumber, family, level, newRun, clip, written, range, info);
    }

    ManifestTable clipped(KeyRange newClip) {
        return new ManifestTable(number, family, level, run, newClip, written, range, info);
    }

    /** As an owner's record stores it. */
    public Link link() {
        byte[] encodedInfo = info.encode();
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + encodedInfo.length);
        out.put(FORMAT).put((byte) family.code()).put((byte) level).putLong(run);
        putRange(out, clip);
        putRange(out, written);
        out.put(encodedInfo);
        return new Link(name(), range, out.array());
    }

    /**
     * Reads a link back.
     *
     * @param owner for messages
     */
    public static ManifestTable of(String owner, Link link) {
        ByteBuffer in = ByteBuffer.wrap(link.attributes());
        if (in.remaining() < FIXED_BYTES) {
            throw damaged(owner, link, "has " + in.remaining() + " bytes of attributes, fewer than " + FIXED_BYTES);
        }
        byte format = in.get();
        if (format != FORMAT) {
            throw damaged(owner, link, "has attributes of format " + format + ", known is " + FORMAT);
        }
        int family = in.get() & 0xff;
        if (family >= Family.values().length) {
            throw damaged(owner, link, "is of family " + family + ", known are 0 to " + (Family.values().length - 1));
        }
        int level = in.get() & 0xff;
        long run = in.getLong();
        try {
            KeyRange clip = range(in);
            KeyRange written = range(in);
            byte[] info = new byte[in.remaining()];
            in.get(info);
            long number = Long.parseLong(link.name(), 36);
            Family known = Family.values()[family];
            return new ManifestTable(number, known, level, run, clip, written, link.range(), TableInfo.decode(info));
        } catch (NumberFormatException e) {
            throw damaged(owner, link, "has a name that is no number");
        } catch (Invalid | Corrupt e) {
            throw damaged(owner, link, String.valueOf(e.getMessage()));
        }
    }

    private static Corrupt damaged(String owner, Link link, String what) {
        return new Corrupt("manifest of " + owner + ": table '" + link.name() + "' in "
                + link.range().object() + " " + what + ": restore from another checkpoint");
    }

    private static void putRange(ByteBuffer out, KeyRange range) {
        out.putShort((short) range.firstGroup()).putShort((short) range.endGroup());
    }

    private static KeyRange range(ByteBuffer in) {
        int first = in.getShort() & 0xffff;
        int end = in.getShort() & 0xffff;
        return new KeyRange(first, end);
    }

    /** One line for people. */
    String text() {
        return name() + " " + family + " level " + level + " run " + run + " groups [" + clip.firstGroup() + ", "
                + clip.endGroup() + ") of [" + written.firstGroup() + ", " + written.endGroup() + ") entries "
                + info.entries() + " (" + info.deletes() + " deletes, " + info.merges() + " merges) bytes "
                + range.length() + " at " + range.object() + "+" + range.offset();
    }
}
