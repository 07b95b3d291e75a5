// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.UnifiedFileSystem.ObjectFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tables each in an object of its own; either all become durable, or they are discarded. One user at a time. */
final class OwnObjects implements TableOutput {
    private final UnifiedFileSystem ufs;
    private final List<String> ended = new ArrayList<>();
    private final List<CompletableFuture<ObjectRange>> finishing = new ArrayList<>();
    private @Nullable ObjectFile open;

    OwnObjects(UnifiedFileSystem ufs) {
        this.ufs = ufs;
    }

    @Override
    public Consumer<ByteBuffer> begin() {
        ObjectFile file = ufs.createFile();
        open = file;
        return file::write;
    }

    @Override
    public ObjectRange end() {
        ObjectFile file = open;
        if (file == null) {
            throw new IllegalStateException("no table was begun");
        }
        open = null;
        ended.add(file.object());
        finishing.add(file.finish());
        return new ObjectRange(file.object(), 0, file.position());
    }

    /** Completes when all tables are durable. */
    CompletableFuture<Void> durable() {
        return CompletableFuture.allOf(finishing.toArray(CompletableFuture[]::new));
    }

    /** Waits on the calling thread until all tables are durable. */
    void awaitDurable() {
        durable().join();
    }

    /** Gives up: what was begun is aborted, what was ended is deleted once its upload is over. */
    void discard() {
        if (open != null) {
            open.close();
            open = null;
        }
        List<String> gone = List.copyOf(ended);
        ended.clear();
        var unused = durable().whenComplete((done, failure) -> gone.forEach(ufs::discard));
    }
}
