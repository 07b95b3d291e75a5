// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.StageGraph.Edge;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * About how many bytes elements take, for the bound on what is in flight: exact where the value says so by itself (bytes,
 * strings), otherwise what one in 64 of the same edge has encoded to, on average. Leader only.
 */
final class ElementSizes {
    /** What an element takes besides its value: window, timestamp, key, links. */
    private static final int OVERHEAD_BYTES = 120;

    private static final int ONE_IN = 64;

    private final Map<Integer, Average> byEdge = new HashMap<>();
    private @Nullable Average last;

    ElementSizes(List<Edge> edges) {
        edges.forEach(edge -> byEdge.putIfAbsent(edge.index(), new Average(edge.index(), edge.coder())));
    }

    long bytes(KeyedElement element) {
        long known = knownBytes(element.value.getValue());
        return OVERHEAD_BYTES + element.key.length + (known >= 0 ? known : averageBytes(element));
    }

    /** Of bytes and text, also as the value of a pair; -1 for others. */
    private static long knownBytes(@Nullable Object value) {
        Object own = value instanceof KV<?, ?> pair ? pair.getValue() : value;
        if (own instanceof byte[] bytes) {
            return bytes.length;
        }
        if (own instanceof CharSequence text) {
            return text.length();
        }
        return own instanceof Number ? Long.BYTES : -1;
    }

    private long averageBytes(KeyedElement element) {
        Average average = last;
        if (average == null || average.edge != element.edge) {
            average = byEdge.computeIfAbsent(element.edge, edge -> new Average(edge, null));
            last = average;
        }
        if (average.seen++ % ONE_IN == 0) {
            average.measure(element.value);
        }
        return average.bytes;
    }

    private static final class Average {
        final int edge;
        private final @Nullable Coder<WindowedValue<Object>> coder;
        long seen;
        long bytes;

        Average(int edge, @Nullable Coder<WindowedValue<Object>> coder) {
            this.edge = edge;
            this.coder = coder;
        }

        void measure(WindowedValue<?> value) {
            if (coder == null) {
                return;
            }
            Count count = new Count();
            try {
                coder.encode(DoFnHost.unchecked(value), count);
            } catch (IOException | RuntimeException e) {
                // Not the place to tell that an element can not be encoded: here it need not be.
                return;
            }
            bytes = bytes == 0 ? count.bytes : bytes + (count.bytes - bytes) / 4;
        }
    }

    private static final class Count extends OutputStream {
        long bytes;

        @Override
        public void write(int b) {
            bytes++;
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            bytes += length;
        }
    }
}
