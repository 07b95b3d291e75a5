// SPDX-License-Identifier: Apache-2.0
/** A store in this process's memory, for tests and trials. Knows nothing but the store's interface. */
@NullMarked
package dev.disagg.ufs.memory;

import org.jspecify.annotations.NullMarked;
