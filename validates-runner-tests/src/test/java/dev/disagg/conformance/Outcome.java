// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

/**
 * How one test ended.
 *
 * @param test {@code class#method}
 * @param millis wall-clock milliseconds it took; 0 when it was not attempted
 * @param reason one line: why it failed or was skipped; empty when it passed
 */
record Outcome(String test, Status status, long millis, String reason) {

    private static final int MAX_REASON_CHARS = 400;

    enum Status {
        PASS,
        FAIL,
        SKIP
    }

    Outcome {
        reason = oneLine(reason);
    }

    /** One line of {@code conformance.tsv}. */
    String toLine() {
        return test + "\t" + status + "\t" + millis + "\t" + reason;
    }

    static Outcome parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 4) {
            throw new IllegalArgumentException("not 'test TAB status TAB milliseconds TAB reason': " + line);
        }
        return new Outcome(fields[0], Status.valueOf(fields[1]), Long.parseLong(fields[2]), fields[3]);
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_REASON_CHARS ? line : line.substring(0, MAX_REASON_CHARS - 3) + "...";
    }
}
