// SPDX-License-Identifier: Apache-2.0
/** Realistic pipelines that try to break what the runner promises. */
@NullMarked
package dev.disagg.runner.attack;

import org.jspecify.annotations.NullMarked;
