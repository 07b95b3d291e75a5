// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What became of a test that measures real time. It runs once to have its code loaded and compiled, which does not count, and then until it passes or was tried
 * {@link #MOST} times, all in one JVM. What failed stays to be seen, whatever the end is.
 *
 * @param all the round that does not count, then those that do, in their order
 */
record Attempts(List<Outcome> all) {

    static final int MOST = 5;

    private static final int REASON_CHARS = 280;

    Attempts {
        all = List.copyOf(all);
    }

    /** The outcome that counts, with all that failed before it. */
    Outcome outcome() {
        Outcome last = all.get(all.size() - 1);
        int counted = all.size() - 1;
        String failures = failures();
        String reason;
        if (last.status() != Status.PASS) {
            reason = counted == MOST ? "failed at all " + MOST + " attempts" : "the JVM was lost";
            reason += "; " + failures;
        } else {
            reason = failures.isEmpty()
                    ? ""
                    : "passed at attempt " + counted + " of " + MOST + "; failed first: " + failures;
        }
        return new Outcome(last.test(), last.status(), last.millis(), reason, last.counters());
    }

    /** Each reason once, behind the rounds that failed with it. */
    private String failures() {
        Map<String, StringJoiner> rounds = new LinkedHashMap<>();
        for (int round = 0; round < all.size(); round++) {
            Outcome outcome = all.get(round);
            if (outcome.status() != Status.PASS) {
                rounds.computeIfAbsent(outcome.reason(), reason -> new StringJoiner(", "))
                        .add(round == 0 ? "warm-up" : "attempt " + round);
            }
        }
        int most = REASON_CHARS / Math.max(1, rounds.size());
        StringJoiner text = new StringJoiner("; ");
        rounds.forEach((reason, which) -> text.add(which + ": " + shortened(reason, most)));
        return text.toString();
    }

    private static String shortened(String reason, int most) {
        return reason.length() <= most ? reason : reason.substring(0, most - 3) + "...";
    }
}
