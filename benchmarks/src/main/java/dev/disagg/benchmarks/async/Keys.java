// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.BooleanCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Endless: first each key once, then (if wanted) keys that are drawn, each with whether its element is one that reads what was not
 * fetched. The watermark stays where it begins. Its position is how many there were.
 */
final class Keys extends UnboundedSource<KV<Integer, Boolean>, Keys.Mark> {
    private static final long serialVersionUID = 1L;

    record Mark(long read) implements UnboundedSource.CheckpointMark {
        @Override
        public void finalizeCheckpoint() {}
    }

    @Override
    public List<? extends UnboundedSource<KV<Integer, Boolean>, Mark>> split(int desired, PipelineOptions options) {
        return List.of(this);
    }

    @Override
    public UnboundedReader<KV<Integer, Boolean>> createReader(PipelineOptions options, @Nullable Mark mark) {
        return new Reader(this, CountOptions.of(options), mark == null ? 0 : mark.read());
    }

    @Override
    public Coder<Mark> getCheckpointMarkCoder() {
        return new MarkCoder();
    }

    @Override
    public Coder<KV<Integer, Boolean>> getOutputCoder() {
        return KvCoder.of(VarIntCoder.of(), BooleanCoder.of());
    }

    private static final class MarkCoder extends AtomicCoder<Mark> {
        private static final long serialVersionUID = 1L;

        @Override
        public void encode(Mark mark, OutputStream out) throws IOException {
            VarLongCoder.of().encode(mark.read(), out);
        }

        @Override
        public Mark decode(InputStream in) throws IOException {
            return new Mark(VarLongCoder.of().decode(in));
        }
    }

    private static final class Reader extends UnboundedReader<KV<Integer, Boolean>> {
        private final Keys source;
        private final int keys;
        private final boolean loadOnly;
        private final double missShare;
        private final Draw draw;
        private long read;
        private @Nullable KV<Integer, Boolean> current;

        Reader(Keys source, CountOptions options, long read) {
            this.source = source;
            this.keys = options.getKeys();
            this.loadOnly = options.getLoadOnly();
            this.missShare = options.getMissShare();
            this.draw = new Draw(keys, options.getZipf());
            this.read = read;
        }

        @Override
        public boolean start() {
            return advance();
        }

        @Override
        public boolean advance() {
            if (read < keys) {
                current = KV.of((int) read, false);
            } else if (loadOnly) {
                return false;
            } else {
                current = KV.of(draw.next(), draw.happens(missShare));
            }
            read++;
            return true;
        }

        @Override
        public KV<Integer, Boolean> getCurrent() {
            KV<Integer, Boolean> element = current;
            if (element == null) {
                throw new NoSuchElementException();
            }
            return element;
        }

        @Override
        public Instant getCurrentTimestamp() {
            return BoundedWindow.TIMESTAMP_MIN_VALUE;
        }

        @Override
        public Instant getWatermark() {
            return BoundedWindow.TIMESTAMP_MIN_VALUE;
        }

        @Override
        public Mark getCheckpointMark() {
            return new Mark(read);
        }

        @Override
        public void close() {}

        @Override
        public Keys getCurrentSource() {
            return source;
        }
    }
}
