// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this layer keeps in a manifest's header; drawn in {@code docs/format/cell-dictionary.md}.
 *
 * @param eventLowWaterMillis no entry of the family is before it, nor are live ones in what was deleted; the same for the
 *     next two
 * @param nextGeneration above every generation of a collection in this task
 * @param nextArrival above every arrival number of the inbox
 */
record TaskHeader(
        long eventLowWaterMillis,
        long processingLowWaterMillis,
        long holdsLowWaterMillis,
        long nextGeneration,
        long nextArrival,
        Map<Integer, CellDictionary.Name> cells,
        byte[] runner) {
    private static final int VERSION = 1;

    /** Of a task that has nothing. */
    static final TaskHeader EMPTY =
            new TaskHeader(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 1, 0, Map.of(), KeyLayout.EMPTY);

    byte[] encode() {
        ByteSink bytes = new ByteSink(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(eventLowWaterMillis);
            out.writeLong(processingLowWaterMillis);
            out.writeLong(holdsLowWaterMillis);
            out.writeLong(nextGeneration);
            out.writeLong(nextArrival);
            out.writeInt(cells.size());
            for (Map.Entry<Integer, CellDictionary.Name> cell : cells.entrySet()) {
                out.writeInt(cell.getKey());
                out.writeUTF(cell.getValue().step());
                out.writeUTF(cell.getValue().stateId());
            }
            out.writeInt(runner.length);
            out.write(runner);
        } catch (IOException e) {
            throw new Failed("cannot write the header of a task's state: " + e.getMessage(), e);
        }
        return bytes.copy();
    }

    static TaskHeader decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new Corrupt(
                        "the header of a task's state has version " + version + ", this program reads version "
                                + VERSION + ": restore with the program that wrote it, or from another checkpoint");
            }
            long event = in.readLong();
            long processing = in.readLong();
            long holds = in.readLong();
            long generation = in.readLong();
            long arrival = in.readLong();
            Map<Integer, CellDictionary.Name> cells = new LinkedHashMap<>();
            for (int i = in.readInt(); i > 0; i--) {
                cells.put(in.readInt(), new CellDictionary.Name(in.readUTF(), in.readUTF()));
            }
            int length = in.readInt();
            if (length != in.available()) {
                throw new EOFException(length + " bytes of the runner's announced, " + in.available() + " there");
            }
            return new TaskHeader(event, processing, holds, generation, arrival, cells, in.readAllBytes());
        } catch (IOException e) {
            throw new Corrupt(
                    "the header of a task's state is broken (" + e.getMessage()
                            + "): restore from an earlier checkpoint",
                    e);
        }
    }

    /** What a task has that takes over from both; the runner's bytes are not merged. */
    TaskHeader merge(TaskHeader other) {
        return new TaskHeader(
                Math.min(eventLowWaterMillis, other.eventLowWaterMillis),
                Math.min(processingLowWaterMillis, other.processingLowWaterMillis),
                Math.min(holdsLowWaterMillis, other.holdsLowWaterMillis),
                Math.max(nextGeneration, other.nextGeneration),
                Math.max(nextArrival, other.nextArrival),
                Map.of(),
                KeyLayout.EMPTY);
    }
}
