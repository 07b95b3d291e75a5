// SPDX-License-Identifier: Apache-2.0
/**
 * Cells, timers, watermark holds, inbox and source positions of one task, cached in memory and kept in a
 * {@link dev.disagg.state.ByteStore}. Everything here belongs to the task's leader thread; only the bytes inside a read's
 * future come from elsewhere, and they are applied at the leader's next call.
 *
 * <p>Knows nothing of Beam, of tables, or of objects: values come through {@link dev.disagg.state.cell.CellCodec}, keys
 * and windows as bytes. Stored bytes are drawn in {@code docs/format/key-layout.md}.
 */
@NullMarked
package dev.disagg.state.cell;

import org.jspecify.annotations.NullMarked;
