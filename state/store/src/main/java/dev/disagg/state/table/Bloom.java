// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/**
 * A filter over hashes: each sets a few bits within one 64-byte line, so a probe touches one cache line. Stored as the
 * lines, then five bytes: ff, 0, number of probes, 0, 0.
 *
 * @param bytes array that holds the filter
 * @param at where its lines start
 * @param lines number of lines; 0 is a filter that rules out nothing
 * @param probes bits tested per hash
 */
record Bloom(byte[] bytes, int at, int lines, int probes) {
    static final int LINE_BYTES = 64;
    static final int META_BYTES = 5;
    /** Rules out nothing: a table without a filter, or with one of another kind. */
    static final Bloom EVERYTHING = new Bloom(new byte[0], 0, 0, 0);

    /** Step of the probe sequence: 2^32 divided by the golden ratio. */
    private static final int STEP = 0x9e3779b9;

    /** The filter in a block's payload. */
    static Bloom of(byte[] bytes, int at, int length) {
        int meta = at + length - META_BYTES;
        if (length < META_BYTES + LINE_BYTES
                || (length - META_BYTES) % LINE_BYTES != 0
                || bytes[meta] != (byte) 0xff
                || bytes[meta + 1] != 0
                || (bytes[meta + 2] & 0xe0) != 0
                || bytes[meta + 2] == 0) {
            return EVERYTHING;
        }
        return new Bloom(bytes, at, (length - META_BYTES) / LINE_BYTES, bytes[meta + 2]);
    }

    boolean mayContain(long hash) {
        if (lines == 0) {
            return true;
        }
        int line = line(hash);
        int x = (int) (hash >>> 32);
        for (int i = 0; i < probes; i++, x *= STEP) {
            int bit = x >>> 23;
            if ((bytes[line + (bit >>> 3)] & 1 << (bit & 7)) == 0) {
                return false;
            }
        }
        return true;
    }

    void add(long hash) {
        int line = line(hash);
        int x = (int) (hash >>> 32);
        for (int i = 0; i < probes; i++, x *= STEP) {
            int bit = x >>> 23;
            bytes[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
        }
    }

    private int line(long hash) {
        return at + LINE_BYTES * (int) (((hash & 0xffffffffL) * lines) >>> 32);
    }
}
