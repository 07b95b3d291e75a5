// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.util.Optional;
import java.util.Set;

/**
 * One test method of Beam's. All parameterisations of a method count as one test.
 *
 * @param suite name of the suite that lists it
 * @param className binary name of the class that runs it (not of the one that declares it)
 * @param method name of the method, without parameters
 * @param categories simple names of the categories on the method and its class
 * @param ignored whether Beam itself has switched it off
 */
record BeamTest(String suite, String className, String method, Set<String> categories, boolean ignored) {

    BeamTest {
        categories = Set.copyOf(categories);
    }

    String name() {
        return className + "#" + method;
    }

    /** Whether it is in one of {@code names} or their subcategories; no names stand for all. */
    boolean isInAny(Set<String> names) {
        return names.isEmpty()
                || names.stream()
                        .map(BeamTest::category)
                        .anyMatch(wanted -> categories.stream()
                                .filter(own -> !own.isEmpty())
                                .anyMatch(own -> wanted.isAssignableFrom(category(own))));
    }

    /**
     * The marker interface of a category.
     *
     * @throws IllegalArgumentException when Beam has no such category
     */
    static Class<?> category(String name) {
        try {
            return Class.forName("org.apache.beam.sdk.testing." + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a category of Beam's tests; examples: UsesStatefulParDo, UsesTestStream", e);
        }
    }

    /** Why this test is not attempted by any runner that executes inside one JVM; empty when it is attempted. */
    Optional<String> skipReason() {
        if (ignored) {
            return Optional.of("ignored in Beam itself");
        }
        if (categories.contains("UsesSdkHarnessEnvironment")) {
            return Optional.of("needs a container with Beam's SDK harness");
        }
        if (categories.contains("UsesPythonExpansionService") || categories.contains("UsesJavaExpansionService")) {
            return Optional.of("needs a running expansion service of another language");
        }
        return Optional.empty();
    }
}
