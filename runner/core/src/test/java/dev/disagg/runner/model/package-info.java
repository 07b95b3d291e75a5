// SPDX-License-Identifier: Apache-2.0
/** Beam's transforms as users write them, each with an answer that is known, on this runner in several ways and on Beam's own. */
@NullMarked
package dev.disagg.runner.model;

import org.jspecify.annotations.NullMarked;
