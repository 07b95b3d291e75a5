// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.values.WindowedValues;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A split of a bounded source. Its position is the number of records read: a split gives the same records in the same
 * order each time it is read. Stored: {@code [records 8][done 1]}.
 */
final class BoundedSplit implements SplitReader {
    private static final Logger LOG = LoggerFactory.getLogger(BoundedSplit.class);

    /** Less than this is not worth to be given to another task. */
    private static final long MIN_SHARED_BYTES = 1 << 20;

    private final PipelineOptions options;
    private BoundedSource<Object> source;
    private double splitWhen;
    private final long skip;
    private BoundedSource.@Nullable BoundedReader<Object> reader;
    private long records;
    private boolean done;

    @SuppressWarnings("unchecked")
    BoundedSplit(BoundedSource<?> source, PipelineOptions options, byte @Nullable [] position) {
        this.source = (BoundedSource<Object>) source;
        this.options = options;
        if (position == null) {
            this.skip = 0;
        } else {
            ByteBuffer in = ByteBuffer.wrap(position);
            this.skip = in.getLong();
            this.done = in.get() != 0;
        }
    }

    @Override
    public int read(int most, Receiver to) throws IOException {
        if (done) {
            return 0;
        }
        int count = 0;
        BoundedSource.BoundedReader<Object> from = reader;
        boolean available;
        if (from == null) {
            from = source.createReader(options);
            reader = from;
            available = from.start();
            for (; records < skip; records++) {
                if (!available) {
                    throw new Failed("the source " + source + " gave " + records + " records where it gave at least "
                            + skip + " before the checkpoint: has its data changed?");
                }
                available = from.advance();
            }
        } else {
            available = from.advance();
        }
        while (available) {
            to.accept(WindowedValues.timestampedValueInGlobalWindow(from.getCurrent(), from.getCurrentTimestamp()));
            records++;
            if (++count >= most) {
                return count;
            }
            available = from.advance();
        }
        done = true;
        close();
        return count;
    }

    /** What is left to this split. */
    BoundedSource<?> source() {
        return source;
    }

    /** Whether reading has begun, here or before a checkpoint. */
    boolean isBegun() {
        return reader != null || skip > 0;
    }

    /**
     * Gives away the second half of what is left, if that is worth it and the source can be split there.
     *
     * @return the half that was given away; null for none
     */
    @Nullable
    BoundedSource<?> split() throws IOException {
        BoundedSource.BoundedReader<Object> from = reader;
        Double consumed = from == null ? null : from.getFractionConsumed();
        if (from == null || consumed == null || consumed < splitWhen) {
            return null;
        }
        // Not asked again, in vain, before a further hundredth is read.
        splitWhen = consumed + 0.01;
        try {
            if (source.getEstimatedSizeBytes(options) * (1 - consumed) < MIN_SHARED_BYTES) {
                return null;
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed("the size of " + source + " can not be estimated: " + e.getMessage(), e);
        }
        BoundedSource<Object> rest;
        try {
            rest = from.splitAtFraction((1 + consumed) / 2);
        } catch (RuntimeException e) {
            LOG.warn("{} is read by one task alone: it can not be split: {}", source, e.toString());
            splitWhen = Double.MAX_VALUE;
            return null;
        }
        if (rest != null) {
            source = from.getCurrentSource();
            splitWhen = 0;
        }
        return rest;
    }

    @Override
    public long watermarkMillis() {
        return done ? Frontier.MAX : Frontier.MIN;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public Position position() {
        return Position.of(ByteBuffer.allocate(9)
                .putLong(Math.max(records, skip))
                .put((byte) (done ? 1 : 0))
                .array());
    }

    @Override
    public void close() throws IOException {
        BoundedSource.BoundedReader<Object> from = reader;
        if (from != null) {
            reader = null;
            from.close();
        }
    }
}
