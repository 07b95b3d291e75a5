// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.io.UnboundedSource.CheckpointMark;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.values.WindowedValues;
import org.jspecify.annotations.Nullable;

/**
 * A split of an unbounded source. Its position is the source's own checkpoint mark. Stored: {@code [watermark 8][done
 * 1][mark]}; of a split that was never started and is done there is no mark.
 */
final class UnboundedSplit implements SplitReader {
    private static final int MARK_AT = 9;

    private final UnboundedSource<Object, CheckpointMark> source;
    private final UnboundedSource.UnboundedReader<Object> reader;
    private final byte[] opened;
    private boolean started;
    private boolean done;
    private long watermark;

    @SuppressWarnings("unchecked")
    UnboundedSplit(UnboundedSource<?, ?> source, PipelineOptions options, byte @Nullable [] position)
            throws IOException {
        this.source = (UnboundedSource<Object, CheckpointMark>) source;
        CheckpointMark mark = null;
        watermark = Frontier.MIN;
        opened = position == null ? new byte[0] : position;
        if (position != null && position.length > 0) {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(position));
            watermark = in.readLong();
            done = in.readBoolean();
            mark = position.length > MARK_AT ? markCoder().decode(in, Coder.Context.OUTER) : null;
        }
        reader = this.source.createReader(options, mark);
    }

    private Coder<CheckpointMark> markCoder() {
        Coder<CheckpointMark> coder = source.getCheckpointMarkCoder();
        if (coder == null) {
            throw new Failed(
                    "the source " + source + " has no coder for its checkpoint marks, so its position can not be kept");
        }
        return coder;
    }

    @Override
    public int read(int most, Receiver to) throws IOException {
        if (done) {
            return 0;
        }
        int count = 0;
        boolean available = started ? reader.advance() : reader.start();
        started = true;
        while (available) {
            to.accept(WindowedValues.timestampedValueInGlobalWindow(reader.getCurrent(), reader.getCurrentTimestamp()));
            if (++count >= most) {
                break;
            }
            available = reader.advance();
        }
        watermark = Math.max(watermark, Math.min(reader.getWatermark().getMillis(), Frontier.MAX));
        done = !available && watermark >= Frontier.MAX;
        return count;
    }

    private static byte[] endedAt(byte[] position) {
        byte[] ended = Arrays.copyOf(position, Math.max(MARK_AT, position.length));
        ended[MARK_AT - 1] = 1;
        return ended;
    }

    @Override
    public void drain() {
        done = true;
    }

    @Override
    public long watermarkMillis() {
        // The last records of a split may come with its last watermark: it counts once they are out.
        return done ? Frontier.MAX : Math.min(watermark, Frontier.MAX - 1);
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public Position position() throws IOException {
        if (!started) {
            // A reader that was not started has no mark of its own: it stays where it was opened.
            return Position.of(done ? endedAt(opened) : opened);
        }
        CheckpointMark mark = reader.getCheckpointMark();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(watermark);
        out.writeBoolean(done);
        markCoder().encode(mark, out, Coder.Context.OUTER);
        return new Position(bytes.toByteArray(), mark::finalizeCheckpoint);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
