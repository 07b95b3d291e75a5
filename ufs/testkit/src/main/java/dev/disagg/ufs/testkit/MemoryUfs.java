// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import static java.util.Objects.requireNonNull;

import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.UnifiedFileSystem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * Objects in memory. {@link #beforeCall} sees every call that would reach a store (and may throw); {@link #readGate} may
 * hold reads back; a discarded object that is read again fails the read.
 */
public final class MemoryUfs implements UnifiedFileSystem {
    /** By name. */
    public final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();

    private final Map<ObjectRange, Part> parts = new ConcurrentHashMap<>();
    private int sequence;
    public volatile Consumer<String> beforeCall = call -> {};
    public volatile CompletableFuture<Void> readGate = CompletableFuture.completedFuture(null);
    /** Names, in order. */
    public final List<String> discarded = new ArrayList<>();
    /** How many reads were asked for. */
    public int reads;

    private synchronized String newName() {
        return "job/data/1-p-" + sequence++;
    }

    @Override
    public ObjectStore store() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long epoch() {
        return 1;
    }

    @Override
    public ObjectFile createFile() {
        String name = newName();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return new ObjectFile() {
            @Override
            public String object() {
                return name;
            }

            @Override
            public void write(ByteBuffer piece) {
                byte[] copy = new byte[piece.remaining()];
                piece.get(copy);
                bytes.writeBytes(copy);
            }

            @Override
            public long position() {
                return bytes.size();
            }

            @Override
            public CompletableFuture<ObjectRange> finish() {
                try {
                    beforeCall.accept("put " + name);
                } catch (RuntimeException e) {
                    return CompletableFuture.failedFuture(e);
                }
                objects.put(name, bytes.toByteArray());
                return CompletableFuture.completedFuture(new ObjectRange(name, 0, bytes.size()));
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Pack createPack() {
        String name = newName();
        return new Pack() {
            private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            private boolean ended;

            @Override
            public synchronized ObjectRange append(List<ByteBuffer> file) {
                if (ended) {
                    throw new Invalid("pack " + name + " is ended");
                }
                int start = bytes.size();
                for (ByteBuffer piece : file) {
                    byte[] copy = new byte[piece.remaining()];
                    piece.duplicate().get(copy);
                    bytes.writeBytes(copy);
                }
                return new ObjectRange(name, start, bytes.size() - start);
            }

            @Override
            public synchronized CompletableFuture<Void> seal() {
                ended = true;
                if (bytes.size() > 0) {
                    try {
                        beforeCall.accept("put " + name);
                    } catch (RuntimeException e) {
                        return CompletableFuture.failedFuture(e);
                    }
                    objects.put(name, bytes.toByteArray());
                }
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public synchronized void abort() {
                ended = true;
            }
        };
    }

    @Override
    public CompletableFuture<ByteBuffer> read(ObjectRange file, long offset, int length) {
        synchronized (this) {
            reads++;
        }
        return readGate.thenApply(ignored -> {
            beforeCall.accept("read " + file.object());
            byte[] object = objects.get(file.object());
            if (object == null) {
                throw new Invalid("no object " + file.object());
            }
            if (offset < 0 || offset + length > file.length()) {
                throw new Invalid("read past the end of " + file);
            }
            byte[] copy = new byte[length];
            System.arraycopy(object, (int) (file.offset() + offset), copy, 0, length);
            return ByteBuffer.wrap(copy);
        });
    }

    @Override
    public OwnerRecord emptyOwner() {
        return new Record(Map.of(), new byte[0], List.of());
    }

    @Override
    public CompletableFuture<OwnerRecord> readOwner(List<ObjectRange> ranges) {
        Map<String, Link> links = new TreeMap<>();
        byte[] header = {};
        for (ObjectRange range : ranges) {
            if (!objects.containsKey(range.object())) {
                throw new Invalid("no object " + range.object());
            }
            Part part = requireNonNull(parts.get(range), "a range that is no record");
            part.unlink.forEach(links::remove);
            part.link.forEach(link -> links.put(link.name(), link));
            header = part.header;
        }
        return CompletableFuture.completedFuture(new Record(links, header, ranges));
    }

    @Override
    public synchronized void discard(String object) {
        discarded.add(object);
        objects.remove(object);
    }

    @Override
    public void close() {}

    private record Part(List<Link> link, List<String> unlink, byte[] header) {}

    private final class Record implements OwnerRecord {
        private final Map<String, Link> links;
        private final byte[] header;
        private final List<ObjectRange> stored;

        Record(Map<String, Link> links, byte[] header, List<ObjectRange> stored) {
            this.links = links;
            this.header = header;
            this.stored = stored;
        }

        @Override
        public Map<String, Link> links() {
            return links;
        }

        @Override
        public byte[] header() {
            return header;
        }

        @Override
        public List<ObjectRange> parts() {
            return stored;
        }

        @Override
        public OwnerRecord with(Collection<Link> link, Collection<String> unlink, byte[] newHeader, Pack pack) {
            if (link.isEmpty() && unlink.isEmpty() && java.util.Arrays.equals(header, newHeader)) {
                return this;
            }
            Map<String, Link> after = new HashMap<>(links);
            unlink.forEach(after::remove);
            link.forEach(each -> after.put(each.name(), each));
            boolean base = stored.isEmpty() || stored.size() > MAX_DELTAS;
            Part part = base
                    ? new Part(List.copyOf(after.values()), List.of(), newHeader)
                    : new Part(List.copyOf(link), List.copyOf(unlink), newHeader);
            List<ObjectRange> all = new ArrayList<>(base ? List.of() : stored);
            ObjectRange range = pack.append(List.of(ByteBuffer.wrap(new byte[64 + 100 * part.link.size()])));
            parts.put(range, part);
            all.add(range);
            return new Record(Map.copyOf(after), newHeader, List.copyOf(all));
        }
    }
}
