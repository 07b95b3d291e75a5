// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.joda.time.Instant;

/** The numbers from 0 to an end, as far as a test lets them come; each is its own timestamp, and the watermark follows. */
public final class Numbers extends UnboundedSource<Long, Numbers.Mark> {
    private static final long serialVersionUID = 1L;

    /** Per source, how many numbers may come now. */
    static final Map<String, Long> LIMITS = new ConcurrentHashMap<>();

    private final String name;
    private final long end;

    /** @param name of the limit in {@link #LIMITS} */
    public Numbers(String name, long end) {
        this.name = name;
        this.end = end;
    }

    /** The next number. */
    public record Mark(long next) implements CheckpointMark, java.io.Serializable {
        @Override
        public void finalizeCheckpoint() {}
    }

    @Override
    public List<Numbers> split(int desired, PipelineOptions options) {
        return List.of(this);
    }

    @Override
    public Coder<Mark> getCheckpointMarkCoder() {
        return SerializableCoder.of(Mark.class);
    }

    @Override
    public Coder<Long> getOutputCoder() {
        return VarLongCoder.of();
    }

    @Override
    public UnboundedReader<Long> createReader(PipelineOptions options, Mark mark) {
        return new Reader(mark == null ? 0 : mark.next());
    }

    private final class Reader extends UnboundedReader<Long> {
        private long next;
        private boolean has;

        Reader(long next) {
            this.next = next;
        }

        @Override
        public boolean start() {
            return advance();
        }

        @Override
        public boolean advance() {
            has = next < Math.min(end, LIMITS.getOrDefault(name, end));
            if (has) {
                next++;
            }
            return has;
        }

        @Override
        public Long getCurrent() {
            if (!has) {
                throw new NoSuchElementException();
            }
            return next - 1;
        }

        @Override
        public Instant getCurrentTimestamp() {
            return new Instant(getCurrent());
        }

        @Override
        public Instant getWatermark() {
            return next >= end && !has ? BoundedWindow.TIMESTAMP_MAX_VALUE : new Instant(Math.max(0, next - 1));
        }

        @Override
        public CheckpointMark getCheckpointMark() {
            return new Mark(next);
        }

        @Override
        public UnboundedSource<Long, ?> getCurrentSource() {
            return Numbers.this;
        }

        @Override
        public void close() {}
    }
}
