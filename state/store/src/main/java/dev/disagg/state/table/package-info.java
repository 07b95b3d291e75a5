// SPDX-License-Identifier: Apache-2.0
/**
 * The table format: sorted entries in one immutable run of bytes, which is a standard RocksDB block-based table
 * (format_version 5). {@link dev.disagg.state.table.TableBuilder} writes, {@link dev.disagg.state.table.Table} reads over
 * any {@link dev.disagg.state.table.ByteSource} through a shared {@link dev.disagg.state.table.BlockCache}. Every byte is
 * drawn in {@code docs/format/table.md}.
 *
 * <p>Parts, in the order of dependence: {@code Varint}, {@code Hash64}, {@code MaskedCrc} (numbers); {@code BlockFrame}
 * (compression and checksum of one block); {@code BlockWriter}, {@code EntryWalk}, {@code BlockSearch} (entries within a
 * block); {@code Bloom}, {@code Index}, {@code Footer}, {@code TableProperties}, {@code Tail} (what finds a block); then the
 * public types. Knows nothing of trees, manifests, families, or where bytes come from.
 */
@NullMarked
package dev.disagg.state.table;

import org.jspecify.annotations.NullMarked;
