// SPDX-License-Identifier: Apache-2.0
/** The main classes that Beam publishes as examples, unmodified: this runner gives what DirectRunner gives. */
@NullMarked
package dev.disagg.integration.examples;

import org.jspecify.annotations.NullMarked;
