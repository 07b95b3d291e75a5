// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What a row of the capability matrix names as its proof: {@code Class} or {@code Class#method}, the class without its package, {@code *} for any characters. Tests of
 * this project begin with {@code own:}.
 */
record Proof(String text) {

    private static final String OWN_PREFIX = "own:";

    boolean isOwn() {
        return text.startsWith(OWN_PREFIX);
    }

    /** The pattern without what says whose tests it is about. */
    String pattern() {
        return isOwn() ? text.substring(OWN_PREFIX.length()) : text;
    }

    /** The recorded tests that it names. */
    List<Recorded.Key> tests(Recorded recorded) {
        Pattern wanted = regex();
        return recorded.outcomes().keySet().stream()
                .filter(key -> key.suite().equals(Recorded.OWN) == isOwn())
                .filter(key -> wanted.matcher(key.test().replaceFirst("^([a-z0-9_]+\\.)*", ""))
                        .matches())
                .toList();
    }

    private Pattern regex() {
        String[] parts = pattern().split("#", 2);
        String method = parts.length == 1 ? ".*" : glob(parts[1]);
        return Pattern.compile(glob(parts[0]) + "#" + method);
    }

    private static String glob(String text) {
        StringBuilder regex = new StringBuilder();
        for (String literal : text.split("(?<=\\*)|(?=\\*)")) {
            regex.append(literal.equals("*") ? ".*" : Pattern.quote(literal));
        }
        return regex.toString();
    }
}
