// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.values.WindowedValues;
import org.jspecify.annotations.Nullable;

/**
 * A split of a bounded source. Its position is the number of records read: a split gives the same records in the same
 * order each time it is read. Stored: {@code [records 8][done 1]}.
 */
final class BoundedSplit implements SplitReader {
    private final BoundedSource<Object> source;
    private final PipelineOptions options;
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
