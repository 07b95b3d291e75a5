// SPDX-License-Identifier: Apache-2.0
/** What tests of the runner share: inputs and outputs that a test holds in its hands while a pipeline runs. */
@NullMarked
package dev.disagg.runner.testing;

import org.jspecify.annotations.NullMarked;
