// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore.ObjectWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;

/** An object being written: a temporary file until it is finished. */
final class FileWriter implements ObjectWriter {
    private final String name;
    private final Path target;
    private final Path temporary;
    private final Publication publication;
    private final FileStore.Runner runner;
    private final FileChannel channel;
    private long position;
    private boolean ended;

    FileWriter(String name, Path target, Publication publication, FileStore.Runner runner) throws IOException {
        this.name = name;
        this.target = target;
        this.publication = publication;
        this.runner = runner;
        this.temporary = publication.temporary();
        this.channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
    }

    @Override
    public void write(ByteBuffer bytes) {
        requireNotEnded();
        try {
            int length = bytes.remaining();
            FileStore.transfer(channel, bytes);
            position += length;
        } catch (IOException e) {
            throw Publication.failure("object '" + name + "' being written", e);
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public CompletableFuture<Void> finish() {
        try {
            requireNotEnded();
        } catch (Invalid e) {
            return CompletableFuture.failedFuture(e);
        }
        ended = true;
        return runner.run(name, () -> {
            channel.close();
            publication.publish(temporary, target, false);
        });
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            channel.close();
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            throw Publication.failure("temporary file " + temporary, e);
        }
    }

    private void requireNotEnded() {
        if (ended) {
            throw new Invalid("the writer of object '" + name + "' has ended");
        }
    }
}
