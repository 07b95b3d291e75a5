// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.TableInfo;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import java.util.Arrays;

/**
 * A table of a {@link dev.disagg.state.SharedRun} as a manifest names it: a {@link Link} drawn in
 * {@code docs/format/shared-run.md}. The run is all tables in its object.
 */
public record SharedTable(ObjectRange range, TableInfo info) {
    /** What the names of such links begin with; those of a store's own tables are digits and small letters. */
    private static final String PREFIX = "@";

    private static final byte FORMAT = 1;
    private static final int NUMBER_BASE = 36;

    /** Whether the link is a table of a shared run: no store's own link has such a name. */
    public static boolean isNameOf(Link link) {
        return link.name().startsWith(PREFIX);
    }

    /** As an owner's record stores it. */
    public Link link() {
        byte[] encoded = info.encode();
        byte[] attributes = new byte[1 + encoded.length];
        attributes[0] = FORMAT;
        System.arraycopy(encoded, 0, attributes, 1, encoded.length);
        String name = PREFIX + Long.toString(range.offset(), NUMBER_BASE) + PREFIX + range.object();
        return new Link(name, range, attributes);
    }

    /**
     * Reads a link back.
     *
     * @param owner for messages
     */
    public static SharedTable of(String owner, Link link) {
        byte[] attributes = link.attributes();
        try {
            if (attributes.length == 0 || attributes[0] != FORMAT) {
                throw new Corrupt("is of a format that is not known, which is " + FORMAT);
            }
            TableInfo info = TableInfo.decode(Arrays.copyOfRange(attributes, 1, attributes.length));
            return new SharedTable(link.range(), info);
        } catch (Invalid | Corrupt e) {
            throw new Corrupt("manifest of " + owner + ": shared table '" + link.name() + "' " + e.getMessage()
                    + ": restore from another checkpoint");
        }
    }

    /** The table as a reader takes it: bound to no key groups. */
    ManifestTable readable() {
        return new ManifestTable(0, Family.SOURCES, 1, 1, KeyRange.ALL, KeyRange.ALL, range, info);
    }

    /** One line for people. */
    String text() {
        return "shared entries " + info.entries() + " bytes " + range.length() + " at " + range.object() + "+"
                + range.offset();
    }
}
