// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

/**
 * How one test ended.
 *
 * @param test {@code class#method}
 * @param millis wall-clock milliseconds it took; 0 when it was not attempted
 * @param reason one line: why it failed or was skipped; empty when it passed
 * @param counters what its pipelines reported about delayed reads; nothing but in a delayed pass
 */
record Outcome(String test, Status status, long millis, String reason, DelayCounters counters) {

    /** The heading of {@code conformance.tsv}. */
    static final String HEADING = "test\tresult\tmilliseconds\treason\treads\tdelayedReads\thandOvers";

    private static final int MAX_REASON_CHARS = 400;

    enum Status {
        PASS,
        FAIL,
        SKIP
    }

    Outcome {
        reason = oneLine(reason);
    }

    Outcome(String test, Status status, long millis, String reason) {
        this(test, status, millis, reason, DelayCounters.NONE);
    }

    /** One line of {@code conformance.tsv}. */
    String toLine() {
        return test + "\t" + status + "\t" + millis + "\t" + reason + "\t" + counters.reads() + "\t"
                + counters.delayedReads() + "\t" + counters.handOvers();
    }

    static Outcome parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 7) {
            throw new IllegalArgumentException("not the seven fields of an outcome: " + line);
        }
        return new Outcome(
                fields[0],
                Status.valueOf(fields[1]),
                Long.parseLong(fields[2]),
                fields[3],
                new DelayCounters(Long.parseLong(fields[4]), Long.parseLong(fields[5]), Long.parseLong(fields[6])));
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_REASON_CHARS ? line : line.substring(0, MAX_REASON_CHARS - 3) + "...";
    }
}
