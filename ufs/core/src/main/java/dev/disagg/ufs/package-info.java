// SPDX-License-Identifier: Apache-2.0
/**
 * Links on object stores that have none: objects, owners' records, packs, the job's log, and the sweep. Knows nothing of
 * tables, keys, Beam or any vendor's SDK.
 */
@NullMarked
package dev.disagg.ufs;

import org.jspecify.annotations.NullMarked;
