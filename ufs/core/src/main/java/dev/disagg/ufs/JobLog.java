// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.LogPruning.Mark;
import dev.disagg.ufs.LogRecord.Epoch;
import dev.disagg.ufs.LogRecord.Pinned;
import dev.disagg.ufs.LogRecord.Unpinned;
import dev.disagg.ufs.LogState.Pin;
import dev.disagg.ufs.ObjectStore.PutResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A job's log, the only mutable thing of a job: numbered records, each put only where none was. One sequence for all
 * writers; the writer's epoch is inside the record. A process that begins an epoch fences all before it.
 *
 * <p>Methods block for their requests; never call them on a thread of the store. Thread-safe. After {@link Fenced} every
 * further append fails in the same way without a request.
 *
 * <p>{@link Unavailable} from an append means that it is unknown whether the record was written: the next append finds
 * out, and a record that was written counts as committed.
 */
public final class JobLog {
    /** Records of others that may get in the way of one append, or appends that land in a pruned gap. */
    private static final int MAX_TRIES = 1000;
    /** Appends of which it is unknown whether they were written. */
    private static final int MAX_UNRESOLVED = 16;
    /** Pruning is a request; it waits until there are this many records. */
    private static final int PRUNE_RECORDS = 16;

    private final ObjectStore store;
    private final LogStore log;
    private final long writer;
    private volatile LogView view;
    /** All records known to exist; guarded by this, as everything below. */
    private NavigableMap<Long, Mark> marks;
    /** Of the number {@code view.next()}: what this process tried to put there without learning the outcome. */
    private final List<byte[]> unresolved = new ArrayList<>();

    private volatile long epoch;
    private @Nullable Fenced fenced;

    private JobLog(ObjectStore store, LogStore log, long writer, LogReplay.Result found) {
        this.store = store;
        this.log = log;
        this.writer = writer;
        this.view = found.view();
        this.marks = found.marks();
    }

    /** Whether anything is stored under this job's name. */
    public static boolean exists(ObjectStore store, String jobName) {
        ObjectNames.checkSegment("job name", jobName);
        return !Await.get(store.list(jobName + "/", "", 1), "list job " + jobName)
                .isEmpty();
    }

    /**
     * Reads the log of a job; an absent one is empty. Writes nothing.
     *
     * @param writer distinguishes this process's records from those of others: random, never used twice
     * @throws Corrupt when a record that is needed is not what was written
     */
    public static JobLog open(ObjectStore store, String jobName, Retries retries, long writer) {
        LogStore log = new LogStore(store, jobName, retries);
        return new JobLog(store, log, writer, LogReplay.replay(log));
    }

    public String jobName() {
        return log.jobName();
    }

    /** The epoch that this process began, 0 when it did not. */
    public long epoch() {
        return epoch;
    }

    /** What the log said when it was last read or written. */
    public LogState state() {
        return view.state();
    }

    /**
     * Reads records that others appended since.
     *
     * @throws Fenced when this process began an epoch and another has begun a later one
     */
    public synchronized LogState refresh() {
        requireNotFenced();
        for (Optional<ByteBuffer> next = log.fetch(view.next()); next.isPresent(); next = log.fetch(view.next())) {
            foreign(next.get(), epoch);
        }
        return view.state();
    }

    /**
     * Takes the job over: appends an EPOCH record, after which no earlier process can commit.
     *
     * @param checkpointInterval kept in the record; zero when checkpoints are off
     * @return this process's epoch, from 1
     * @throws Fenced when another process took the job over at the same moment
     */
    public synchronized long beginEpoch(Duration checkpointInterval) {
        requireNotFenced();
        long taken = view.epoch();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            long mine = Math.max(taken, view.epoch()) + 1;
            long number = append(mine, before -> new Epoch(mine, checkpointInterval.toMillis()));
            if (verified(number, mine, after -> after.epochNumber() == number)) {
                epoch = mine;
                return mine;
            }
            if (view.epoch() >= mine) {
                throw fence(view.epoch(), mine);
            }
            taken = mine; // it is in a pruned gap, without effect, but its epoch is used up
        }
        throw new Failed("no EPOCH record of job '" + jobName() + "' took effect in " + MAX_TRIES + " tries");
    }

    /** Commits a checkpoint; all packs and files that it names must be durable. One put. */
    public void checkpoint(Checkpoint checkpoint) {
        checkpoint(checkpoint, List.of());
    }

    /**
     * Commits a checkpoint and, by the same record, expires others; ids that are not live are ignored. One put.
     *
     * @throws Fenced when another process has taken the job over
     * @throws Invalid when the id is not larger than all before, or the epoch not this process's
     */
    public synchronized void checkpoint(Checkpoint checkpoint, Collection<Long> expired) {
        requireEpoch();
        if (checkpoint.epoch() != epoch) {
            throw new Invalid("checkpoint " + checkpoint.id() + " has epoch " + checkpoint.epoch()
                    + ", this process has epoch " + epoch + " of job '" + jobName() + "'");
        }
        append(epoch, before -> {
            if (checkpoint.id() <= before.lastCheckpointId()) {
                throw new Invalid("checkpoint id " + checkpoint.id() + " of job '" + jobName()
                        + "' must be larger than " + before.lastCheckpointId() + ", the last one committed");
            }
            return before.commit(checkpoint, expired);
        });
    }

    /** Expires checkpoints; ids that are not live are ignored, and without a live one nothing is written. */
    public synchronized void expire(Collection<Long> ids) {
        requireEpoch();
        if (ids.stream().anyMatch(view::isLive)) {
            append(epoch, before -> before.expire(ids));
        }
    }

    /** Says that no checkpoint is left, even when none was. */
    synchronized void expireAll() {
        requireEpoch();
        append(epoch, before -> before.expire(List.copyOf(before.kept().keySet())));
    }

    /**
     * Claims a checkpoint of this job for {@code holder}: it stays whole until {@link #unpin}. Needs no epoch.
     *
     * @throws Invalid when the checkpoint is not live (any more)
     */
    public synchronized void pin(String holder, long checkpoint) {
        Pin pin = new Pin(holder, checkpoint);
        refresh();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (view.pins().contains(pin)) {
                return;
            }
            if (!view.isLive(checkpoint)) {
                throw new Invalid("checkpoint " + checkpoint + " of job '" + jobName()
                        + "' does not exist or has expired; it has " + ids(view));
            }
            verified(
                    append(0, before -> new Pinned(pin)),
                    epoch,
                    after -> after.pins().contains(pin));
        }
        throw new Failed("no PIN record of job '" + jobName() + "' took effect in " + MAX_TRIES + " tries");
    }

    /** Ends a claim; one that does not exist is ignored. Needs no epoch. */
    public synchronized void unpin(String holder, long checkpoint) {
        Pin pin = new Pin(holder, checkpoint);
        refresh();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (!view.pins().contains(pin)) {
                return;
            }
            verified(
                    append(0, before -> new Unpinned(pin)),
                    epoch,
                    after -> !after.pins().contains(pin));
        }
        throw new Failed("no UNPIN record of job '" + jobName() + "' took effect in " + MAX_TRIES + " tries");
    }

    /**
     * Deletes records that nobody needs.
     *
     * @param all also few of them, and those that an earlier process left behind
     * @return how many
     */
    synchronized int prune(boolean all) {
        if (all) {
            readUnread();
        }
        Set<Long> needed = new HashSet<>();
        view.kept().values().forEach(kept -> needed.add(kept.number()));
        List<Long> prunable = LogPruning.prunable(marks, needed);
        if (prunable.isEmpty() || (prunable.size() < PRUNE_RECORDS && !all)) {
            return 0;
        }
        log.delete(prunable);
        marks.keySet().removeAll(prunable);
        return prunable.size();
    }

    /** When the newest record was written, by the store's clock; empty for an empty log. */
    synchronized Optional<Long> newestMillis() {
        return log.listAfter(0).values().stream()
                .map(ObjectStore.Listed::modifiedMillis)
                .max(Long::compare);
    }

    /** Deletes the whole log, the newest record last: until then it says that no checkpoint is left. */
    synchronized int deleteAll() {
        requireEpoch();
        List<Long> numbers = new ArrayList<>(log.listAfter(0).keySet());
        if (!numbers.isEmpty()) {
            List<Long> earlier = numbers.subList(0, numbers.size() - 1);
            if (!earlier.isEmpty()) {
                log.delete(earlier);
            }
            log.delete(numbers.subList(numbers.size() - 1, numbers.size()));
        }
        marks = new TreeMap<>();
        return numbers.size();
    }

    ObjectStore store() {
        return store;
    }

    private void readUnread() {
        for (long number : List.copyOf(marks.keySet())) {
            if (marks.get(number) == Mark.UNREAD) {
                log.fetch(number)
                        .ifPresentOrElse(
                                bytes -> marks.put(number, Mark.of(decode(bytes, number))), () -> marks.remove(number));
            }
        }
    }

    /**
     * Appends a record at the next free number.
     *
     * @param asEpoch the record's epoch, 0 when it carries none
     * @return its number
     */
    private long append(long asEpoch, Function<LogView, LogRecord> make) {
        requireNotFenced();
        long mine = Math.max(asEpoch, epoch);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            long number = view.next();
            LogRecord record = make.apply(view);
            byte[] bytes = LogFormat.encode(record, writer, number);
            if (put(number, bytes) == PutResult.CREATED) {
                accept(record);
                return number;
            }
            ByteBuffer there;
            try {
                there = log.fetchExisting(number);
            } catch (Unavailable e) {
                if (asEpoch > 0 && asEpoch == epoch) {
                    throw unknown(number, bytes, e);
                }
                reload(mine); // perhaps pruned in the meantime: the log is far ahead of this process
                continue;
            }
            if (there.equals(ByteBuffer.wrap(bytes))) {
                accept(record); // the answer of an earlier try was lost
                return number;
            }
            foreign(there, mine);
        }
        throw new Failed("no record could be appended to the log of job '" + jobName() + "' in " + MAX_TRIES
                + " tries; others append without end");
    }

    private PutResult put(long number, byte[] bytes) {
        try {
            return log.put(number, bytes);
        } catch (Unavailable e) {
            throw unknown(number, bytes, e);
        }
    }

    private DisaggException unknown(long number, byte[] bytes, Unavailable e) {
        if (unresolved.stream().noneMatch(each -> Arrays.equals(each, bytes))) {
            if (unresolved.size() == MAX_UNRESOLVED) {
                return new Failed(
                        "the outcome of " + MAX_UNRESOLVED + " appends to the log of job '" + jobName()
                                + "' is unknown; stop, and restore when the store answers",
                        e);
            }
            unresolved.add(bytes);
        }
        return new Unavailable(
                "it is unknown whether log record '" + log.name(number) + "' was written; the next append finds out: "
                        + e.getMessage(),
                e);
    }

    /** Takes in a record at the next number that is not the one just made. */
    private void foreign(ByteBuffer bytes, long own) {
        long number = view.next();
        LogRecord record = decode(bytes, number);
        boolean mine =
                unresolved.stream().anyMatch(each -> ByteBuffer.wrap(each).equals(bytes));
        if (own > 0 && record.epoch() > 0 && !mine) {
            boolean beginning = own > epoch;
            if (record.epoch() > own || (beginning && record.epoch() == own)) {
                throw fence(record.epoch(), own);
            }
            if (!beginning) {
                throw new Failed("log record '" + log.name(number) + "' has epoch " + record.epoch()
                        + " and is not of this process, which has epoch " + own
                        + " and began it earlier in the log; this is a bug, the job stops");
            }
        }
        accept(record);
    }

    private void accept(LogRecord record) {
        marks.put(view.next(), Mark.of(record));
        view = view.apply(record);
        unresolved.clear();
    }

    /**
     * Whether an appended record took effect. It did not when it fell into a gap that pruning left below a newer
     * baseline; then records after it are listed, and the log, read again, does not show it.
     */
    private boolean verified(long number, long mine, Predicate<LogView> inEffect) {
        if (!log.listAfter(number).isEmpty()) {
            reload(mine);
        }
        return inEffect.test(view);
    }

    private void reload(long mine) {
        LogReplay.Result found = LogReplay.replay(log);
        view = found.view();
        marks = found.marks();
        unresolved.clear();
        if (mine > 0 && view.epoch() > mine) {
            throw fence(view.epoch(), mine);
        }
    }

    private LogRecord decode(ByteBuffer bytes, long number) {
        return LogFormat.decode(bytes, log.name(number), number);
    }

    private Fenced fence(long by, long mine) {
        Fenced error = new Fenced("job '" + jobName() + "' was taken over by another process with epoch " + by
                + "; this process, with epoch " + mine + ", stops without writing anything more");
        fenced = error;
        return error;
    }

    private void requireNotFenced() {
        if (fenced != null) {
            throw new Fenced("job '" + jobName() + "' was taken over by another process earlier", fenced);
        }
    }

    private void requireEpoch() {
        requireNotFenced();
        if (epoch == 0) {
            throw new Invalid("begin an epoch in the log of job '" + jobName() + "' before writing to it");
        }
    }

    private static String ids(LogView view) {
        List<Long> live =
                view.state().checkpoints().stream().map(Checkpoint::id).toList();
        return live.isEmpty() ? "none" : "checkpoints " + live;
    }
}
