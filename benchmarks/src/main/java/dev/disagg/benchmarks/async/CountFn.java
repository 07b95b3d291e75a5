// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import java.util.SplittableRandom;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/**
 * Counts the elements of each key. Its row has, beside the count, bytes that do not compress, written once and read each time; an
 * element that says so also reads an entry of a map. Outputs nothing: the number of elements done is {@link Done}.
 */
final class CountFn extends DoFn<KV<Integer, Boolean>, Void> {
    private static final long serialVersionUID = 1L;
    private static final int ENTRY = 7;

    @StateId("payload")
    private final StateSpec<ValueState<byte[]>> payloadSpec = StateSpecs.value(ByteArrayCoder.of());

    @StateId("count")
    private final StateSpec<ValueState<Long>> countSpec = StateSpecs.value(VarLongCoder.of());

    @StateId("entries")
    private final StateSpec<MapState<Integer, Long>> entriesSpec = StateSpecs.map(VarIntCoder.of(), VarLongCoder.of());

    private transient int payloadBytes;

    @Setup
    public void setUp(PipelineOptions options) {
        payloadBytes = CountOptions.of(options).getPayloadBytes();
    }

    @ProcessElement
    public void process(
            @Element KV<Integer, Boolean> element,
            @StateId("payload") ValueState<byte[]> payload,
            @StateId("count") ValueState<Long> count,
            @StateId("entries") MapState<Integer, Long> entries) {
        if (payloadBytes > 0) {
            byte[] bytes = payload.read();
            if (bytes == null) {
                bytes = new byte[payloadBytes];
                new SplittableRandom(element.getKey()).nextBytes(bytes);
                payload.write(bytes);
                entries.put(ENTRY, 1L);
            } else if (bytes.length != payloadBytes) {
                throw new IllegalStateException("key " + element.getKey() + " has " + bytes.length + " bytes");
            }
        }
        if (element.getValue()) {
            Long entry = entries.get(ENTRY).read();
            if (entry == null || entry != 1) {
                throw new IllegalStateException("key " + element.getKey() + " has entry " + entry);
            }
        }
        Long before = count.read();
        count.write(before == null ? 1 : before + 1);
        Done.add();
    }
}
