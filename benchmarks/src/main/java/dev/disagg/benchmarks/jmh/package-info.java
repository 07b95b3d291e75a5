// SPDX-License-Identifier: Apache-2.0
/**
 * Costs of single operations, by JMH: each beside what it is to be compared with, in the same process. JMH fills the fields
 * of its states after their construction, so nullness is not checked here.
 */
@NullUnmarked
package dev.disagg.benchmarks.jmh;

import org.jspecify.annotations.NullUnmarked;
