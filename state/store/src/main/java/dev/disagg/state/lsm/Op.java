// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.EntryKind;

/**
 * What one memtable or run says about one key.
 *
 * @param value the value of a put, the tails of a merge, empty for a delete; never modified
 */
public record Op(byte[] key, EntryKind kind, byte[] value) {}
