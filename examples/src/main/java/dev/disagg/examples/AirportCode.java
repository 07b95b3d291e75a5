// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Codes of airports: three letters from A to Z, as strings, as numbers below {@link #COUNT} in the same order, and as
 * three bytes.
 */
final class AirportCode {
    /** How many codes there are. */
    static final int COUNT = 26 * 26 * 26;

    // One string per code seen, so that decoding allocates none. Racing writers write equal strings.
    private static final String[] SEEN = new String[COUNT];

    private AirportCode() {}

    /** The number of {@code code}; throws {@link IllegalArgumentException} when it is not a code. */
    static int number(String code) {
        if (code.length() != 3) {
            throw new IllegalArgumentException("airport code '" + code + "' is not three letters from A to Z");
        }
        return number(code.charAt(0), code.charAt(1), code.charAt(2));
    }

    /** The code with {@code number}. */
    static String of(int number) {
        String seen = SEEN[number];
        if (seen == null) {
            seen = "" + (char) ('A' + number / 676) + (char) ('A' + number / 26 % 26) + (char) ('A' + number % 26);
            SEEN[number] = seen;
        }
        return seen;
    }

    static void write(String code, OutputStream out) throws IOException {
        out.write(code.charAt(0));
        out.write(code.charAt(1));
        out.write(code.charAt(2));
    }

    static String read(InputStream in) throws IOException {
        int first = in.read();
        int second = in.read();
        int third = in.read();
        if (third < 0) {
            throw new EOFException("an airport code ends early");
        }
        return of(number(first, second, third));
    }

    private static int number(int first, int second, int third) {
        if (!isLetter(first) || !isLetter(second) || !isLetter(third)) {
            throw new IllegalArgumentException("airport code '" + (char) first + (char) second + (char) third
                    + "' is not three letters from A to Z");
        }
        return (first - 'A') * 676 + (second - 'A') * 26 + (third - 'A');
    }

    private static boolean isLetter(int character) {
        return character >= 'A' && character <= 'Z';
    }
}
