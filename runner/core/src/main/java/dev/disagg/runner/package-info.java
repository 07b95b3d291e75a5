// SPDX-License-Identifier: Apache-2.0
/** The runner as users see it: options, {@code --runner=DisaggRunner}, results. */
@NullMarked
package dev.disagg.runner;

import org.jspecify.annotations.NullMarked;
