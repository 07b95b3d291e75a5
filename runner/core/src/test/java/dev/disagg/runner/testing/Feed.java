// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;

/**
 * The input of a running pipeline, in a test's hands: what is given appears at the source, the watermark moves when it is
 * told to, and the source ends when it is closed. What was given stays, so that a restored pipeline reads on from its mark.
 * Thread-safe.
 */
public final class Feed {
    private static final Map<String, Feed> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong NAMES = new AtomicLong();

    private final String name = "feed-" + NAMES.incrementAndGet();
    private final List<TimestampedValue<String>> given = new ArrayList<>();
    private Instant watermark = BoundedWindow.TIMESTAMP_MIN_VALUE;
    private boolean closed;
    private int finalized;

    public Feed() {
        ALL.put(name, this);
    }

    static Feed named(String name) {
        Feed feed = ALL.get(name);
        if (feed == null) {
            throw new IllegalStateException("no feed of this process is called " + name);
        }
        return feed;
    }

    /** The unbounded source that reads this. */
    public Read.Unbounded<String> read() {
        return Read.from(source(false));
    }

    FeedSource source(boolean repeats) {
        return new FeedSource(name, repeats);
    }

    /** Gives an element at this time, in milliseconds since the epoch. */
    public synchronized Feed give(String element, long timestampMillis) {
        given.add(TimestampedValue.of(element, new Instant(timestampMillis)));
        return this;
    }

    /** Says that no element before this time follows. */
    public synchronized Feed watermark(long millis) {
        watermark = new Instant(millis);
        return this;
    }

    /** Ends the source. */
    public synchronized void close() {
        closed = true;
    }

    /** How many elements are before the last mark that was finalized. */
    public synchronized int finalized() {
        return finalized;
    }

    synchronized void finalizeAt(int position) {
        finalized = Math.max(finalized, position);
    }

    synchronized boolean has(int position) {
        return position < given.size();
    }

    synchronized TimestampedValue<String> at(int position) {
        return given.get(position);
    }

    synchronized Instant watermarkAt(int position) {
        if (position < given.size()) {
            Instant next = given.get(position).getTimestamp();
            return next.isBefore(watermark) ? next : watermark;
        }
        return closed ? BoundedWindow.TIMESTAMP_MAX_VALUE : watermark;
    }
}
