// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.runner.graph.Explain;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a checkpoint says of the pipeline that made it, so that another pipeline is refused by saying what differs. Stored
 * as the header of the owner {@value #OWNER}: {@code [version 1][entries 4]} and per entry two strings, each {@code
 * [length 4][UTF-8]}.
 */
final class Identity {
    /** The owner of what belongs to the job, not to a task. */
    static final String OWNER = "job";

    private static final byte VERSION = 1;
    private static final int MAX_STRING = 1 << 20;

    private Identity() {}

    static byte[] encode(StageGraph graph) {
        Map<String, String> identity = Explain.identity(graph);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeByte(VERSION);
            out.writeInt(identity.size());
            for (Map.Entry<String, String> entry : identity.entrySet()) {
                write(entry.getKey(), out);
                write(entry.getValue(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(String text, DataOutputStream out) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static String read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_STRING) {
            throw new IOException("a string of " + length + " bytes");
        }
        byte[] utf8 = new byte[length];
        in.readFully(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** Refuses a checkpoint that another pipeline made. */
    static void check(long checkpoint, OwnerRecord stored, StageGraph graph) {
        Map<String, String> before = new TreeMap<>();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored.header()));
        try {
            byte version = in.readByte();
            if (version != VERSION) {
                throw new Corrupt("checkpoint " + checkpoint + " describes its pipeline in form " + version
                        + ", which this version does not read: restore with the version that wrote it");
            }
            int entries = in.readInt();
            for (int i = 0; i < entries; i++) {
                before.put(read(in), read(in));
            }
        } catch (IOException e) {
            throw new Corrupt(
                    "checkpoint " + checkpoint + " has a damaged description of its pipeline (" + e.getMessage()
                            + "): restore another checkpoint",
                    e);
        }
        List<String> differences = Explain.differences(before, Explain.identity(graph));
        if (!differences.isEmpty()) {
            throw new Invalid(
                    "checkpoint " + checkpoint + " was made by another pipeline:\n  " + String.join("\n  ", differences)
                            + "\nRun the pipeline that made it, or start this one under another --jobName.");
        }
    }
}
