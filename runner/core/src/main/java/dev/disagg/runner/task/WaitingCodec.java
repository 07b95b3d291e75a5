// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** Elements of a task's inbox as they are stored: {@code [edge 4][element by the edge's coder]}. One owner. */
final class WaitingCodec {
    private final Map<Integer, Edge> edges = new HashMap<>();
    private final int firstGroup;

    WaitingCodec(TaskSpec spec) {
        spec.channelEdges().forEach(edge -> edges.put(edge.index(), edge));
        firstGroup = spec.range().firstGroup();
    }

    /** The group under which an element is stored: that of its key, or the task's first for one without. */
    int group(byte @Nullable [] key, long hash) {
        return key == null ? firstGroup : KeyRange.group(hash);
    }

    @SuppressWarnings("unchecked")
    byte[] encode(WindowedValue<?> value, int edgeIndex) {
        Edge edge = edges.get(edgeIndex);
        if (edge == null) {
            throw new IllegalStateException("no channel of edge " + edgeIndex);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeInt(edgeIndex);
            edge.coder().encode((WindowedValue<Object>) value, out, Coder.Context.OUTER);
        } catch (IOException e) {
            throw new Failed("an element that waits can not be encoded by " + edge.coder() + ": " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    Waiting decode(Inbox.Item item) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(item.element()));
        try {
            int at = in.readInt();
            Edge edge = edges.get(at);
            if (edge == null) {
                throw new Failed("a stored element came by edge " + at + ", which this stage does not have");
            }
            WindowedValue<Object> value = edge.coder().decode(in, Coder.Context.OUTER);
            byte[] key = null;
            long hash = 0;
            if (edge.exchange() instanceof Exchange.ByKey byKey) {
                key = encodeKey(byKey.keyCoder(), ((KV<?, ?>) value.getValue()).getKey());
                hash = KeyHash.of(key);
            }
            return new Waiting(value, at, key, hash, item.group(), item.number());
        } catch (IOException e) {
            throw new Failed("a stored element can not be decoded: " + e.getMessage() + "; has a coder changed?", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static byte[] encodeKey(Coder<?> coder, Object key) throws IOException {
        return CoderUtils.encodeToByteArray((Coder<Object>) coder, key);
    }
}
