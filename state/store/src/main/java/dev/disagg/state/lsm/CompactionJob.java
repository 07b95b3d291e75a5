// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.TableOptions;
import java.util.List;

/**
 * What to merge, as plain data.
 *
 * @param owner the store, for messages
 * @param range the groups of the store: what the outputs are written for
 * @param inputs runs, newest first; each its tables in key order, to be read within their clips
 * @param level level of the outputs
 * @param run run of the outputs
 * @param older what lies below the inputs and is not among them: a delete that may hide something there is kept, and tails
 *     stay tails
 * @param dropRowsBelowMillis rows whose window ends before this are dropped; {@link Long#MIN_VALUE} for none
 * @param tableBytes about the size at which an output is ended
 */
public record CompactionJob(
        String owner,
        Family family,
        KeyRange range,
        List<List<ManifestTable>> inputs,
        int level,
        long run,
        OlderKeys older,
        long dropRowsBelowMillis,
        long tableBytes,
        TableOptions tables) {}
