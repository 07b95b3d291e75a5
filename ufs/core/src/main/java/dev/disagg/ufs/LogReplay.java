// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.LogPruning.Mark;
import dev.disagg.ufs.LogRecord.Baseline;
import dev.disagg.ufs.LogRecord.Commit;
import dev.disagg.ufs.LogRecord.Live;
import dev.disagg.ufs.ObjectStore.Listed;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log from its newest baseline on. The listing says where to start; what exists after it is found by asking for
 * one number after the other.
 */
final class LogReplay {
    /** A record may be pruned between the listing and its read, by a process that is running; then all starts again. */
    private static final int MAX_STARTS = 5;

    private final LogStore log;
    private final NavigableMap<Long, Mark> marks = new TreeMap<>();
    private final Map<Long, LogRecord> read = new TreeMap<>();

    private LogReplay(LogStore log) {
        this.log = log;
    }

    /** What was found. */
    record Result(LogView view, NavigableMap<Long, Mark> marks) {}

    static Result replay(LogStore log) {
        for (int starts = 0; starts < MAX_STARTS; starts++) {
            Result result = new LogReplay(log).run();
            if (result != null) {
                return result;
            }
        }
        throw new Unavailable("the log of job '" + log.jobName() + "' changed " + MAX_STARTS
                + " times while it was read; another process is running this job");
    }

    private @Nullable Result run() {
        NavigableMap<Long, Listed> listed = log.listAfter(0);
        listed.keySet().forEach(number -> marks.put(number, Mark.UNREAD));
        long number = listed.isEmpty() ? 0 : listed.lastKey();
        Deque<LogRecord> later = new ArrayDeque<>();
        LogView view = null;
        while (view == null && number > 0) {
            LogRecord record = record(number, listed.get(number));
            if (record == null) {
                return gap(number, listed);
            }
            Baseline after = record.baseline();
            if (after == null) {
                later.push(record);
                number--;
                continue;
            }
            view = baseline(number, after, listed);
            if (view == null) {
                return null;
            }
        }
        if (view == null) {
            view = LogView.empty();
        }
        for (LogRecord record : later) {
            view = view.apply(record);
        }
        for (Optional<ByteBuffer> next = log.fetch(view.next()); next.isPresent(); next = log.fetch(view.next())) {
            view = view.apply(decoded(view.next(), next.get()));
        }
        return new Result(view, marks);
    }

    /** A number without a record above the newest baseline: pruned since, and then a newer baseline exists. */
    private @Nullable Result gap(long number, NavigableMap<Long, Listed> before) {
        if (log.listAfter(0).equals(before)) {
            throw new Corrupt("log record '" + log.name(number) + "' is missing, and a later one exists;"
                    + " nothing was changed; restore from a savepoint or another job's checkpoint,"
                    + " or put a good copy back");
        }
        return null;
    }

    private @Nullable LogView baseline(long number, Baseline after, NavigableMap<Long, Listed> listed) {
        Map<Long, Checkpoint> checkpoints = new TreeMap<>();
        for (Live live : after.live()) {
            LogRecord carrier = record(live.number(), listed.get(live.number()));
            if (carrier == null) {
                gap(live.number(), listed);
                return null;
            }
            if (!(carrier instanceof Commit commit) || commit.checkpoint().id() != live.id()) {
                throw new Corrupt("log record '" + log.name(live.number()) + "' should carry checkpoint " + live.id()
                        + "; restore from another checkpoint");
            }
            checkpoints.put(live.id(), commit.checkpoint());
        }
        return LogView.from(number, after, checkpoints);
    }

    private @Nullable LogRecord record(long number, @Nullable Listed listed) {
        LogRecord known = read.get(number);
        if (known != null) {
            return known;
        }
        if (listed == null) {
            return log.fetch(number).map(bytes -> decoded(number, bytes)).orElse(null);
        }
        try {
            return decoded(number, log.fetch(number, listed.bytes()));
        } catch (Corrupt e) {
            // Listed, then pruned? Then it is absent now.
            Optional<ByteBuffer> now = log.fetch(number);
            return now.isEmpty() ? null : decoded(number, now.get());
        }
    }

    private LogRecord decoded(long number, ByteBuffer bytes) {
        LogRecord record = LogFormat.decode(bytes, log.name(number), number);
        read.put(number, record);
        marks.put(number, Mark.of(record));
        return record;
    }
}
