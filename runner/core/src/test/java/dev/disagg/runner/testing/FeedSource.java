// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.util.VarInt;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads a {@link Feed} of this process as one split. Its mark is the number of elements read. */
final class FeedSource extends UnboundedSource<String, FeedSource.Mark> {
    private static final long serialVersionUID = 1;

    private final String feed;
    private final boolean repeats;

    /** @param repeats whether elements that are equal up to a # are one record, given again */
    FeedSource(String feed, boolean repeats) {
        this.feed = feed;
        this.repeats = repeats;
    }

    @Override
    public boolean requiresDeduping() {
        return repeats;
    }

    record Mark(String feed, int position) implements UnboundedSource.CheckpointMark {
        @Override
        public void finalizeCheckpoint() {
            Feed.named(feed).finalizeAt(position);
        }
    }

    @Override
    public List<FeedSource> split(int desiredNumSplits, PipelineOptions options) {
        return List.of(this);
    }

    @Override
    public UnboundedReader<String> createReader(PipelineOptions options, @Nullable Mark mark) {
        return new Reader(this, mark == null ? 0 : mark.position);
    }

    @Override
    public Coder<Mark> getCheckpointMarkCoder() {
        return MarkCoder.INSTANCE;
    }

    @Override
    public Coder<String> getOutputCoder() {
        return StringUtf8Coder.of();
    }

    private static final class Reader extends UnboundedReader<String> {
        private final FeedSource source;
        private final Feed feed;
        private int position;
        private boolean current;

        Reader(FeedSource source, int position) {
            this.source = source;
            this.feed = Feed.named(source.feed);
            this.position = position;
        }

        @Override
        public boolean start() {
            return advance();
        }

        @Override
        public boolean advance() {
            if (!feed.has(position)) {
                return false;
            }
            position++;
            current = true;
            return true;
        }

        @Override
        public String getCurrent() {
            if (!current) {
                throw new NoSuchElementException("nothing was read yet");
            }
            return feed.at(position - 1).getValue();
        }

        @Override
        public byte[] getCurrentRecordId() {
            return source.repeats ? getCurrent().split("#")[0].getBytes(StandardCharsets.UTF_8) : new byte[0];
        }

        @Override
        public Instant getCurrentTimestamp() {
            if (!current) {
                throw new NoSuchElementException("nothing was read yet");
            }
            return feed.at(position - 1).getTimestamp();
        }

        @Override
        public Instant getWatermark() {
            return feed.watermarkAt(position);
        }

        @Override
        public Mark getCheckpointMark() {
            return new Mark(source.feed, position);
        }

        @Override
        public FeedSource getCurrentSource() {
            return source;
        }

        @Override
        public void close() {}
    }

    private static final class MarkCoder extends AtomicCoder<Mark> {
        private static final long serialVersionUID = 1;

        static final MarkCoder INSTANCE = new MarkCoder();

        @Override
        public void encode(Mark mark, OutputStream out) throws IOException {
            StringUtf8Coder.of().encode(mark.feed, out);
            VarInt.encode(mark.position, out);
        }

        @Override
        public Mark decode(InputStream in) throws IOException {
            return new Mark(StringUtf8Coder.of().decode(in), VarInt.decodeInt(in));
        }
    }
}
