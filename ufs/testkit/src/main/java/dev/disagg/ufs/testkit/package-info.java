// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of stores and of what is built on them: the contract that every store keeps, a store that fails on purpose,
 * and a clock that a test moves. Knows nothing of tables, keys or Beam.
 */
@NullMarked
package dev.disagg.ufs.testkit;

import org.jspecify.annotations.NullMarked;
