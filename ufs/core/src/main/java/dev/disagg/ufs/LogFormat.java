// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.LogRecord.Baseline;
import dev.disagg.ufs.LogRecord.Commit;
import dev.disagg.ufs.LogRecord.Epoch;
import dev.disagg.ufs.LogRecord.Expire;
import dev.disagg.ufs.LogRecord.Live;
import dev.disagg.ufs.LogRecord.Pinned;
import dev.disagg.ufs.LogRecord.Unpinned;
import dev.disagg.ufs.LogState.Pin;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The bytes of log records. docs/format/log.md draws them; they never change under the same version. */
final class LogFormat {
    private static final String MAGIC = "DULG";
    private static final int VERSION = 1;

    private static final int EPOCH = 1;
    private static final int CHECKPOINT = 2;
    private static final int EXPIRE = 3;
    private static final int PIN = 4;
    private static final int UNPIN = 5;

    private static final int MIN_LIVE_BYTES = 3;
    private static final int MIN_PIN_BYTES = 2;
    private static final int MIN_OWNER_BYTES = 2;
    private static final String REMEDY =
            "nothing was changed; restore from a savepoint or checkpoint of another job, or put a good copy back";

    private LogFormat() {}

    /**
     * @param writer distinguishes the records of processes that would otherwise be the same bytes
     * @param number the record's own, so that a copy under another name is detected
     */
    static byte[] encode(LogRecord record, long writer, long number) {
        RecordWriter to = new RecordWriter(MAGIC, VERSION);
        to.u8(kind(record));
        to.fixed64(writer);
        to.varint(number);
        if (record instanceof Epoch epoch) {
            to.varint(epoch.epoch());
            to.varint(epoch.intervalMillis());
        } else if (record instanceof Commit commit) {
            writeBaseline(to, commit.after());
            writeCheckpoint(to, commit.checkpoint());
        } else if (record instanceof Expire expire) {
            writeBaseline(to, expire.after());
        } else if (record instanceof Pinned pinned) {
            writePin(to, pinned.pin());
        } else if (record instanceof Unpinned unpinned) {
            writePin(to, unpinned.pin());
        }
        return to.end();
    }

    static LogRecord decode(ByteBuffer bytes, String object, long number) {
        RecordReader from = new RecordReader(bytes, MAGIC, VERSION, "log record '" + object + "'", REMEDY);
        int kind = from.u8();
        from.fixed64();
        long own = from.varint();
        if (own != number) {
            throw from.corrupt("it is record " + own + ", not " + number);
        }
        LogRecord record = switch (kind) {
            case EPOCH -> new Epoch(from.varint(), from.varint());
            case CHECKPOINT -> {
                Baseline after = readBaseline(from);
                yield new Commit(after, readCheckpoint(from, after.epoch()));
            }
            case EXPIRE -> new Expire(readBaseline(from));
            case PIN -> new Pinned(readPin(from));
            case UNPIN -> new Unpinned(readPin(from));
            default -> throw from.corrupt("unknown kind " + kind);
        };
        from.end();
        return record;
    }

    private static int kind(LogRecord record) {
        if (record instanceof Epoch) {
            return EPOCH;
        } else if (record instanceof Commit) {
            return CHECKPOINT;
        } else if (record instanceof Expire) {
            return EXPIRE;
        }
        return record instanceof Pinned ? PIN : UNPIN;
    }

    private static void writeBaseline(RecordWriter to, Baseline after) {
        to.varint(after.epoch());
        to.varint(after.epochNumber());
        to.varint(after.intervalMillis());
        to.varint(after.lastCheckpointId());
        to.varint(after.live().size());
        for (Live live : after.live()) {
            to.varint(live.id());
            to.varint(live.number());
            to.flag(live.expired());
        }
        to.varint(after.pins().size());
        after.pins().forEach(pin -> writePin(to, pin));
    }

    private static Baseline readBaseline(RecordReader from) {
        long epoch = from.varint();
        long epochNumber = from.varint();
        long intervalMillis = from.varint();
        long lastCheckpointId = from.varint();
        int count = from.count(MIN_LIVE_BYTES);
        List<Live> live = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            live.add(new Live(from.varint(), from.varint(), from.flag()));
        }
        int pinned = from.count(MIN_PIN_BYTES);
        List<Pin> pins = new ArrayList<>(pinned);
        for (int i = 0; i < pinned; i++) {
            pins.add(readPin(from));
        }
        return new Baseline(epoch, epochNumber, intervalMillis, lastCheckpointId, live, pins);
    }

    private static void writeCheckpoint(RecordWriter to, Checkpoint checkpoint) {
        to.varint(checkpoint.id());
        to.flag(checkpoint.savepoint());
        to.bytes(checkpoint.attributes());
        List<ObjectRange> all = new ArrayList<>();
        checkpoint.owners().values().forEach(all::addAll);
        ObjectTable objects = ObjectTable.of(all);
        objects.write(to);
        to.varint(checkpoint.owners().size());
        for (Map.Entry<String, List<ObjectRange>> owner : checkpoint.owners().entrySet()) {
            to.string(owner.getKey());
            objects.writeRanges(to, owner.getValue());
        }
    }

    private static Checkpoint readCheckpoint(RecordReader from, long epoch) {
        long id = from.varint();
        boolean savepoint = from.flag();
        byte[] attributes = from.bytes();
        ObjectTable objects = ObjectTable.read(from);
        int count = from.count(MIN_OWNER_BYTES);
        Map<String, List<ObjectRange>> owners = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            owners.put(from.string(), objects.readRanges(from));
        }
        return new Checkpoint(id, epoch, savepoint, owners, attributes);
    }

    private static void writePin(RecordWriter to, Pin pin) {
        to.string(pin.holder());
        to.varint(pin.checkpoint());
    }

    private static Pin readPin(RecordReader from) {
        return new Pin(from.string(), from.varint());
    }
}
