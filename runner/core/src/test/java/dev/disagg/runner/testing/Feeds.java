// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/** A source with several splits, each a {@link Feed} with a watermark of its own. Thread-safe. */
public final class Feeds {
    private static final Map<String, AtomicInteger> SPLITS = new ConcurrentHashMap<>();
    private static final AtomicLong NAMES = new AtomicLong();

    private final String name = "feeds-" + NAMES.incrementAndGet();
    private final List<Feed> feeds = new ArrayList<>();

    public Feeds(int splits) {
        SPLITS.put(name, new AtomicInteger());
        for (int i = 0; i < splits; i++) {
            feeds.add(new Feed());
        }
    }

    /** The input of split {@code number}. */
    public Feed feed(int number) {
        return feeds.get(number);
    }

    /** How often the source was split. */
    public int timesSplit() {
        return SPLITS.get(name).get();
    }

    public void close() {
        feeds.forEach(Feed::close);
    }

    /** The unbounded source that reads all of them. */
    public Read.Unbounded<String> read() {
        return read(false);
    }

    /** As {@link #read()}; elements that are equal up to a # are one record, given again. */
    public Read.Unbounded<String> readRepeating() {
        return read(true);
    }

    private Read.Unbounded<String> read(boolean repeats) {
        List<FeedSource> parts = new ArrayList<>();
        feeds.forEach(feed -> parts.add(feed.source(repeats)));
        return Read.from(new Source(name, parts));
    }

    private static final class Source extends UnboundedSource<String, FeedSource.Mark> {
        private static final long serialVersionUID = 1;

        private final String name;
        private final ArrayList<FeedSource> parts;

        Source(String name, List<FeedSource> parts) {
            this.name = name;
            this.parts = new ArrayList<>(parts);
        }

        @Override
        public List<FeedSource> split(int desiredNumSplits, PipelineOptions options) {
            SPLITS.get(name).incrementAndGet();
            return parts;
        }

        @Override
        public UnboundedReader<String> createReader(PipelineOptions options, FeedSource.@Nullable Mark mark) {
            throw new IllegalStateException("only the splits of " + name + " can be read");
        }

        @Override
        public Coder<FeedSource.Mark> getCheckpointMarkCoder() {
            return parts.get(0).getCheckpointMarkCoder();
        }

        @Override
        public boolean requiresDeduping() {
            return parts.get(0).requiresDeduping();
        }

        @Override
        public Coder<String> getOutputCoder() {
            return StringUtf8Coder.of();
        }
    }
}
