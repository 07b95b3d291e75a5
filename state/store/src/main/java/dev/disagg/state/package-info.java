// SPDX-License-Identifier: Apache-2.0
/**
 * State of one task, kept on the object store: the seam to backends ({@link dev.disagg.state.ByteStore}) and what all of
 * them share. Cells, timers and holds live in {@code cell}; the log-structured merge tree in {@code lsm}; the table
 * format in {@code table}; the in-memory backend in {@code heap}. Knows nothing of Beam.
 */
@NullMarked
package dev.disagg.state;

import org.jspecify.annotations.NullMarked;
