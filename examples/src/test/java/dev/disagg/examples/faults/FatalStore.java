// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.SystemThreads;
import dev.disagg.ufs.testkit.ForwardingStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Kills this process, by SIGKILL, at one point. From then on no request goes through to the store below, so that what is
 * stored is what was stored at that point, however long the signal takes.
 */
final class FatalStore extends ForwardingStore {
    private final ObjectStore files;
    private final FatalPoint point;
    private final Path evidence;
    // Guarded by this.
    private boolean started;
    private boolean dying;
    private int uploads;
    private int commits;
    private int sweeps;
    private int reads;

    FatalStore(ObjectStore files, FatalPoint point, Path evidence) {
        super(files);
        this.files = files;
        this.point = point;
        this.evidence = evidence;
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        if (isUpload(name)) {
            ObjectWriter writer = files.create(name);
            ByteBuffer half = bytes.duplicate();
            int halfBytes = half.remaining() / 2;
            half.limit(half.position() + halfBytes);
            writer.write(half);
            return die(halfBytes + " of " + bytes.remaining() + " bytes of a " + writtenBy());
        }
        return dead() ? never() : super.put(name, bytes);
    }

    @Override
    public ObjectWriter create(String name) {
        boolean fatal = isUpload(name);
        ObjectWriter below = files.create(name);
        return new ObjectWriter() {
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
                return fatal ? die("all bytes, not finished, of a " + writtenBy()) : dead() ? never() : below.finish();
            }

            @Override
            public void close() {
                below.close();
            }
        };
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        int checkpoint = checkpointRecord(name);
        if (is(FatalPoint.Kind.BEFORE_COMMIT, checkpoint)) {
            return die("record " + name + " is not written, " + uploads() + " data objects are");
        }
        if (is(FatalPoint.Kind.AFTER_COMMIT, checkpoint)) {
            return files.putIfAbsent(name, bytes).thenCompose(done -> die("record " + name + " is written"));
        }
        return dead() ? never() : super.putIfAbsent(name, bytes);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        if (isData(name) && countRead()) {
            long parked = parkedBodies();
            if (parked > 0) {
                return die(parked + " bodies parked");
            }
        }
        return dead() ? never() : super.read(name, offset, length);
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return dead() ? never() : super.size(name);
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return dead() ? never() : super.list(prefix, startAfter, limit);
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        if (isSweep() && is(FatalPoint.Kind.EXPIRY, countSweep())) {
            List<String> half = names.stream().limit((names.size() + 1) / 2).toList();
            return files.delete(half)
                    .thenCompose(done -> die(half.size() + " of " + names.size() + " objects deleted"));
        }
        return dead() ? never() : super.delete(names);
    }

    private boolean is(FatalPoint.Kind kind, int nth) {
        return point.kind() == kind && point.nth() == nth && !dead();
    }

    private synchronized boolean isUpload(String name) {
        return isData(name) && is(FatalPoint.Kind.UPLOAD, ++uploads);
    }

    private synchronized int uploads() {
        return uploads;
    }

    /** Which checkpoint of this process a record is of; 0 for the record that begins the process's epoch. */
    private synchronized int checkpointRecord(String name) {
        return name.contains("/log/") ? commits++ : -1;
    }

    private synchronized int countSweep() {
        return ++sweeps;
    }

    private synchronized boolean countRead() {
        return ++reads >= point.nth() && point.kind() == FatalPoint.Kind.PARKED;
    }

    private synchronized boolean dead() {
        if (!started) {
            started = true;
            if (point.kind() == FatalPoint.Kind.MOMENT) {
                SystemThreads.scheduler("fatal")
                        .schedule(TimeUnit.MILLISECONDS.toNanos(point.nth()), () -> die("a moment"));
            }
        }
        return dying;
    }

    private static boolean isData(String name) {
        return name.contains("/data/");
    }

    private static boolean isSweep() {
        return isCalledBy("dev.disagg.ufs.Sweep");
    }

    private static String writtenBy() {
        return isCalledBy("dev.disagg.state.lsm.Flush")
                ? "flush"
                : isCalledBy("dev.disagg.state.lsm.CompactionMerge") ? "compaction" : "checkpoint";
    }

    private static boolean isCalledBy(String className) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(className)));
    }

    /** Threads that wait for state in the middle of the example's code. */
    private static long parkedBodies() {
        return Thread.getAllStackTraces().values().stream()
                .filter(frames -> Arrays.stream(frames)
                        .anyMatch(frame -> frame.getClassName().equals("dev.disagg.async.HandOver")
                                && frame.getMethodName().equals("park")))
                .filter(frames -> Arrays.stream(frames)
                        .anyMatch(frame -> frame.getClassName().startsWith("dev.disagg.examples.")))
                .count();
    }

    private <T> CompletableFuture<T> die(String seen) {
        synchronized (this) {
            if (dying) {
                return never();
            }
            dying = true;
        }
        try {
            Files.writeString(evidence, point + " " + seen + "\n");
            new ProcessBuilder(
                            "kill", "-9", Long.toString(ProcessHandle.current().pid()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return never();
    }

    private static <T> CompletableFuture<T> never() {
        return new CompletableFuture<>();
    }
}
