// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import dev.disagg.state.cell.CellCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;

/** Longs, by a codec that knows which threads called it. */
final class Codecs implements CellCodec<Long> {
    final Set<Thread> threads = new HashSet<>();

    @Override
    public void encode(Long value, OutputStream out) throws IOException {
        note();
        new DataOutputStream(out).writeLong(value);
    }

    @Override
    public Long decode(InputStream in) throws IOException {
        note();
        return new DataInputStream(in).readLong();
    }

    private synchronized void note() {
        threads.add(Thread.currentThread());
    }

    @Override
    public boolean immutable() {
        return true;
    }
}
