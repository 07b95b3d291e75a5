// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.VarInt;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The records of a {@link FlightFile} as an unbounded source in event time. Split {@code i} of {@code n} has the records
 * whose number is {@code i} modulo {@code n}, so that all splits go through the half year together; each gives its records
 * in departure order. The watermark of a split is the departure of its next record, and the end of time after its last.
 */
final class FlightSource extends UnboundedSource<Flight, FlightSource.Mark> {
    private static final long serialVersionUID = 1;
    private static final int ENCODED_FLIGHT_BYTES = 14;

    private final @Nullable String input;
    private final long maxRecords;
    private final double recordsPerSecond;
    private final int wantedSplits;
    private final int split;
    private final int splits;

    /**
     * @param input path of a flight file; null for the one that is shipped
     * @param maxRecords how many records to read from its start; zero for all
     * @param recordsPerSecond limit over all splits; zero for none
     * @param wantedSplits how many splits to make; zero for as many as the runner asks for
     */
    FlightSource(@Nullable String input, long maxRecords, double recordsPerSecond, int wantedSplits) {
        this(input, maxRecords, recordsPerSecond, wantedSplits, 0, 1);
    }

    private FlightSource(
            @Nullable String input, long maxRecords, double recordsPerSecond, int wantedSplits, int split, int splits) {
        this.input = input;
        this.maxRecords = maxRecords;
        this.recordsPerSecond = recordsPerSecond;
        this.wantedSplits = wantedSplits;
        this.split = split;
        this.splits = splits;
    }

    /** How many records the source has, over all splits. */
    long records() {
        return end(FlightFile.open(input));
    }

    /** A position: the number, in the whole file, of the next record of the split. */
    record Mark(long nextRecord) implements UnboundedSource.CheckpointMark {
        @Override
        public void finalizeCheckpoint() {
            // Reading leaves nothing behind that would have to be released.
        }
    }

    @Override
    public List<FlightSource> split(int desiredNumSplits, PipelineOptions options) {
        if (splits > 1) {
            return List.of(this);
        }
        int count = Math.max(1, wantedSplits > 0 ? wantedSplits : desiredNumSplits);
        return IntStream.range(0, count)
                .mapToObj(i -> new FlightSource(input, maxRecords, recordsPerSecond / count, wantedSplits, i, count))
                .toList();
    }

    @Override
    public UnboundedReader<Flight> createReader(PipelineOptions options, @Nullable Mark mark) {
        FlightFile file = FlightFile.open(input);
        return new Reader(
                this, file, mark == null ? split : mark.nextRecord, end(file), Pace.ofSystemTime(recordsPerSecond));
    }

    @Override
    public Coder<Mark> getCheckpointMarkCoder() {
        return MarkCoder.INSTANCE;
    }

    @Override
    public Coder<Flight> getOutputCoder() {
        return Flight.FlightCoder.INSTANCE;
    }

    private long end(FlightFile file) {
        return maxRecords > 0 ? Math.min(maxRecords, file.records()) : file.records();
    }

    /** Reads one split; {@code next} is the number of the record that the next {@link #advance} gives. */
    private static final class Reader extends UnboundedReader<Flight> {
        private final FlightSource source;
        private final FlightFile file;
        private final long end;
        private final Pace pace;
        private long next;
        private FlightFile.@Nullable Block block;
        private @Nullable Flight current;

        Reader(FlightSource source, FlightFile file, long next, long end, Pace pace) {
            this.source = source;
            this.file = file;
            this.next = next;
            this.end = end;
            this.pace = pace;
        }

        @Override
        public boolean start() {
            return advance();
        }

        @Override
        public boolean advance() {
            if (next >= end || !pace.take()) {
                return false;
            }
            current = file.flight(blockOfNext(), next);
            next += source.splits;
            return true;
        }

        @Override
        public Flight getCurrent() {
            if (current == null) {
                throw new NoSuchElementException("no record has been read yet");
            }
            return current;
        }

        @Override
        public Instant getCurrentTimestamp() {
            return getCurrent().departure();
        }

        @Override
        public Instant getWatermark() {
            return next >= end
                    ? BoundedWindow.TIMESTAMP_MAX_VALUE
                    : file.flight(blockOfNext(), next).departure();
        }

        @Override
        public Mark getCheckpointMark() {
            return new Mark(next);
        }

        @Override
        public long getSplitBacklogBytes() {
            return Math.max(0, (end - next + source.splits - 1) / source.splits) * ENCODED_FLIGHT_BYTES;
        }

        @Override
        public FlightSource getCurrentSource() {
            return source;
        }

        @Override
        public void close() {
            block = null;
        }

        private FlightFile.Block blockOfNext() {
            FlightFile.Block held = block;
            if (held == null || !held.holds(next)) {
                held = file.block(next);
                block = held;
            }
            return held;
        }
    }

    private static final class MarkCoder extends AtomicCoder<Mark> {
        static final MarkCoder INSTANCE = new MarkCoder();

        @Override
        public void encode(Mark mark, OutputStream out) throws IOException {
            VarInt.encode(mark.nextRecord, out);
        }

        @Override
        public Mark decode(InputStream in) throws IOException {
            return new Mark(VarInt.decodeLong(in));
        }
    }
}
