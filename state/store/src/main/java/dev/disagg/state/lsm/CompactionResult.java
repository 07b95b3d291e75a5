// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.util.List;

/**
 * What a compaction wrote.
 *
 * @param tables in key order, each in an object of its own, durable, with number 0: the store numbers them when it
 *     installs them
 * @param entriesRead entries of the inputs within their clips
 */
public record CompactionResult(List<ManifestTable> tables, long entriesRead) {}
