// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.HexFormat;

/**
 * The hash of the filter: XXH3 with 64 bits as its preview of 2019 (xxHash 0.7.2) computed it, seed 0, except that no bytes
 * hash to a fold of the secret. RocksDB froze that version into its format; the released XXH3 differs for every length.
 */
final class Hash64 {
    private static final long PRIME32_1 = 0x9e3779b1L;
    private static final long PRIME32_2 = 0x85ebca77L;
    private static final long PRIME32_3 = 0xc2b2ae3dL;
    private static final long PRIME64_1 = 0x9e3779b185ebca87L;
    private static final long PRIME64_2 = 0xc2b2ae3d27d4eb4fL;
    private static final long PRIME64_3 = 0x165667b19e3779f9L;
    private static final long PRIME64_4 = 0x85ebca77c2b2ae63L;
    private static final long PRIME64_5 = 0x27d4eb2f165667c5L;

    /** Bytes consumed at once by the form for long keys. */
    private static final int STRIPE_BYTES = 64;
    /** Lanes of the accumulator: one per eight bytes of a stripe. */
    private static final int LANES = 8;

    private static final byte[] SECRET = HexFormat.of()
            .parseHex("b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                    + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                    + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                    + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                    + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                    + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    private Hash64() {}

    static long of(byte[] key) {
        return of(key, 0, key.length);
    }

    static long of(byte[] b, int at, int length) {
        if (length <= 16) {
            return upTo16(b, at, length);
        }
        if (length <= 128) {
            return upTo128(b, at, length);
        }
        if (length <= 240) {
            return upTo240(b, at, length);
        }
        return over240(b, at, length);
    }

    private static long upTo16(byte[] b, int at, int length) {
        if (length > 8) {
            long low = Fixed.int64(b, at) ^ secret(0);
            long high = Fixed.int64(b, at + length - 8) ^ secret(8);
            return avalanche(length + low + high + fold(low, high));
        }
        if (length >= 4) {
            long both = (Fixed.int32(b, at) & 0xffffffffL) | (long) Fixed.int32(b, at + length - 4) << 32;
            long keyed = both ^ secret(0);
            long mixed = length + (keyed ^ (keyed >>> 51)) * PRIME32_1;
            return avalanche((mixed ^ (mixed >>> 47)) * PRIME64_2);
        }
        if (length > 0) {
            int first = b[at] & 0xff;
            int middle = b[at + (length >> 1)] & 0xff;
            int last = b[at + length - 1] & 0xff;
            long combined = first | middle << 8 | last << 16 | (long) length << 24;
            return avalanche((combined ^ (secret(0) & 0xffffffffL)) * PRIME64_1);
        }
        return fold(secret(0), PRIME64_2);
    }

    private static long upTo128(byte[] b, int at, int length) {
        long acc = length * PRIME64_1;
        // Pairs of 16 bytes from both ends inwards; short keys take fewer, and the parts may overlap.
        for (int pair = (length - 1) >> 5; pair >= 0; pair--) {
            acc += mix16(b, at + 16 * pair, 32 * pair);
            acc += mix16(b, at + length - 16 * (pair + 1), 32 * pair + 16);
        }
        return avalanche(acc);
    }

    private static long upTo240(byte[] b, int at, int length) {
        long acc = length * PRIME64_1;
        for (int i = 0; i < 8; i++) {
            acc += mix16(b, at + 16 * i, 16 * i);
        }
        acc = avalanche(acc);
        for (int i = 8; i < length / 16; i++) {
            acc += mix16(b, at + 16 * i, 16 * (i - 8) + 3);
        }
        return avalanche(acc + mix16(b, at + length - 16, 136 - 17));
    }

    private static long over240(byte[] b, int at, int length) {
        long[] acc = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
        int stripesPerBlock = (SECRET.length - STRIPE_BYTES) / 8;
        int stripes = length / STRIPE_BYTES;
        for (int stripe = 0; stripe < stripes; stripe++) {
            int inBlock = stripe % stripesPerBlock;
            accumulate(acc, b, at + stripe * STRIPE_BYTES, 8 * inBlock);
            if (inBlock == stripesPerBlock - 1) {
                scramble(acc);
            }
        }
        if (length % STRIPE_BYTES != 0) {
            accumulate(acc, b, at + length - STRIPE_BYTES, SECRET.length - STRIPE_BYTES - 7);
        }
        long result = length * PRIME64_1;
        for (int lane = 0; lane < LANES; lane += 2) {
            result += fold(acc[lane] ^ secret(11 + 8 * lane), acc[lane + 1] ^ secret(19 + 8 * lane));
        }
        return avalanche(result);
    }

    private static void accumulate(long[] acc, byte[] b, int at, int secretAt) {
        for (int lane = 0; lane < LANES; lane++) {
            long value = Fixed.int64(b, at + 8 * lane);
            long keyed = value ^ secret(secretAt + 8 * lane);
            acc[lane] += value + (keyed & 0xffffffffL) * (keyed >>> 32);
        }
    }

    private static void scramble(long[] acc) {
        for (int lane = 0; lane < LANES; lane++) {
            long value = acc[lane];
            acc[lane] = (value ^ (value >>> 47) ^ secret(SECRET.length - STRIPE_BYTES + 8 * lane)) * PRIME32_1;
        }
    }

    private static long mix16(byte[] b, int at, int secretAt) {
        return fold(Fixed.int64(b, at) ^ secret(secretAt), Fixed.int64(b, at + 8) ^ secret(secretAt + 8));
    }

    private static long secret(int at) {
        return Fixed.int64(SECRET, at);
    }

    /** Both halves of the unsigned 128-bit product, combined by xor. */
    private static long fold(long x, long y) {
        long high = Math.multiplyHigh(x, y) + ((x >> 63) & y) + ((y >> 63) & x);
        return x * y ^ high;
    }

    private static long avalanche(long h) {
        h ^= h >>> 37;
        h *= PRIME64_3;
        return h ^ (h >>> 32);
    }
}
