// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The ways in which the suites are run. */
enum Configuration {
    /** As the runner is when nothing is asked of it. */
    DEFAULTS("conformance", List.of()),

    /** Four tasks a stage whatever the machine, and every element a bundle of its own. */
    PARALLEL("conformance-parallel", List.of("--parallelism=4", "--maxBundleElements=1")),

    /** Every state read waits, in an order that a seed chooses, so that the task is handed over again and again. */
    DELAYED("conformance-delayed", List.of());

    private final String passName;
    private final List<String> pipelineOptions;

    Configuration(String passName, List<String> pipelineOptions) {
        this.passName = passName;
        this.pipelineOptions = pipelineOptions;
    }

    /** The name of a pass in this configuration, which its files carry. */
    String passName() {
        return passName;
    }

    List<String> pipelineOptions() {
        return pipelineOptions;
    }

    /** As it is written on the command line. */
    String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException when there is none of this name */
    static Configuration of(String name) {
        return Arrays.stream(values())
                .filter(each -> each.lowerCase().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("'" + name
                        + "' is not a configuration; configurations: "
                        + Arrays.stream(values()).map(Configuration::lowerCase).collect(Collectors.joining(", "))));
    }
}
