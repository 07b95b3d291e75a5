// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Which tests run.
 *
 * @param suites those of these suites
 * @param tests of them, those in whose {@code class#method} this is found
 * @param categories of them, those in one of these categories or of their subcategories; empty means all
 */
record Selection(Set<String> suites, Pattern tests, Set<String> categories) {

    /** What the passes beside the one on defaults look at when they are not run in full: state, timers and test streams. */
    static final Set<String> STATE_CATEGORIES = Set.of(
            "UsesStatefulParDo",
            "UsesOrderedListState",
            "UsesTimersInParDo",
            "UsesProcessingTimeTimers",
            "UsesOnWindowExpiration",
            "UsesTestStream");

    Selection {
        suites = Set.copyOf(suites);
        categories = Set.copyOf(categories);
    }

    /** All tests of the suite for every runner. */
    static Selection defaults() {
        return new Selection(Set.of(Suite.VALIDATES_RUNNER), Pattern.compile(""), Set.of());
    }

    boolean selects(BeamTest test) {
        return suites.contains(test.suite())
                && test.isInAny(categories)
                && tests.matcher(test.name()).find();
    }

    /** @throws IllegalArgumentException when there is no such suite */
    Selection withSuites(Set<String> names) {
        for (String name : names) {
            if (!Suite.NAMES.contains(name)) {
                throw new IllegalArgumentException("'" + name + "' is not a suite; suites: " + Suite.NAMES);
            }
        }
        return new Selection(names, tests, categories);
    }

    /** @throws IllegalArgumentException when {@code regex} is none */
    Selection withTests(String regex) {
        try {
            return new Selection(suites, Pattern.compile(regex), categories);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--tests=" + regex + ": not a regular expression: " + e.getDescription(), e);
        }
    }

    /** @throws IllegalArgumentException when Beam has no such category */
    Selection withCategories(Set<String> names) {
        names.forEach(BeamTest::category);
        return new Selection(suites, tests, names);
    }
}
