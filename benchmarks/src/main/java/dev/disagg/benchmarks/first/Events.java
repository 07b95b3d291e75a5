// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.first;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.values.KV;

/**
 * Events {@code first} to {@code end - 1}: event n has value n, and of each {@code keys} events in a row each has another
 * key, in an order that is not that of the keys. Costs next to nothing to read.
 */
final class Events extends BoundedSource<KV<Integer, Long>> {
    private static final long serialVersionUID = 1L;
    /** A prime, so that it has no factor in common with a number of keys below it. */
    private static final long STEP = 2_147_483_647L;

    private static final int EVENT_BYTES = 8;

    private final long first;
    private final long end;
    private final int keys;

    Events(long first, long end, int keys) {
        this.first = first;
        this.end = end;
        this.keys = keys;
    }

    @Override
    public List<? extends BoundedSource<KV<Integer, Long>>> split(long desiredBytes, PipelineOptions options) {
        long step = Math.max(1, desiredBytes / EVENT_BYTES);
        List<Events> parts = new ArrayList<>();
        for (long from = first; from < end; from += step) {
            parts.add(new Events(from, Math.min(end, from + step), keys));
        }
        return parts;
    }

    @Override
    public long getEstimatedSizeBytes(PipelineOptions options) {
        return (end - first) * EVENT_BYTES;
    }

    @Override
    public Coder<KV<Integer, Long>> getOutputCoder() {
        return KvCoder.of(VarIntCoder.of(), VarLongCoder.of());
    }

    @Override
    public BoundedReader<KV<Integer, Long>> createReader(PipelineOptions options) {
        return new Reader(this);
    }

    private static final class Reader extends BoundedReader<KV<Integer, Long>> {
        private final Events source;
        private long at;

        Reader(Events source) {
            this.source = source;
            this.at = source.first - 1;
        }

        @Override
        public boolean start() throws IOException {
            return advance();
        }

        @Override
        public boolean advance() {
            return ++at < source.end;
        }

        @Override
        public KV<Integer, Long> getCurrent() {
            if (at < source.first || at >= source.end) {
                throw new NoSuchElementException();
            }
            return KV.of((int) (at % source.keys * STEP % source.keys), at);
        }

        @Override
        public void close() {}

        @Override
        public Events getCurrentSource() {
            return source;
        }
    }
}
