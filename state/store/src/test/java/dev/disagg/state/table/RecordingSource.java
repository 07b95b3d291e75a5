// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A source in memory that keeps what was asked, and answers only when told to. */
final class RecordingSource implements ByteSource {
    record Read(long offset, int length, CompletableFuture<ByteBuffer> answer) {}

    private final byte[] bytes;
    private final List<Read> reads = new ArrayList<>();
    private final List<Read> unanswered = new ArrayList<>();
    private boolean direct;

    RecordingSource(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Answers in buffers outside the heap. */
    RecordingSource direct() {
        direct = true;
        return this;
    }

    @Override
    public CompletableFuture<ByteBuffer> read(long offset, int length) {
        Read read = new Read(offset, length, new CompletableFuture<>());
        reads.add(read);
        unanswered.add(read);
        return read.answer();
    }

    List<Read> reads() {
        return reads;
    }

    int unanswered() {
        return unanswered.size();
    }

    void answerNext() {
        Read read = unanswered.remove(0);
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(read.length()) : ByteBuffer.allocate(read.length() + 3);
        buffer.position(buffer.capacity() - read.length());
        buffer.slice().put(bytes, (int) read.offset(), read.length());
        read.answer().complete(buffer);
    }

    void failNext(RuntimeException failure) {
        unanswered.remove(0).answer().completeExceptionally(failure);
    }
}
