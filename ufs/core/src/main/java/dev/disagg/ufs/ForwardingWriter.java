// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Passes everything on; a decorator's writer overrides what it watches. */
class ForwardingWriter implements ObjectStore.ObjectWriter {
    private final ObjectStore.ObjectWriter below;

    ForwardingWriter(ObjectStore.ObjectWriter below) {
        this.below = below;
    }

    @Override
    public void write(ByteBuffer bytes) {
        below.write(bytes);
    }

    @Override
    public long position() {
        return below.position();
    }

    @Override
    public CompletableFuture<Void> finish() {
        return below.finish();
    }

    @Override
    public void close() {
        below.close();
    }
}
