// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import com.sun.management.OperatingSystemMXBean;
import dev.disagg.async.AsyncMetrics;
import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.engine.TaskFigures;
import dev.disagg.ufs.RequestCounts;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run had used and done at one moment.
 *
 * @param busyTicks of all processors of the machine, whoever used them
 * @param counting of the tasks that count, summed: computations finished, and those of them that waited for no state
 * @param threads processor time by name of thread, in ticks
 */
record Moment(
        long nanos,
        long cpuNanos,
        long busyTicks,
        long allTicks,
        RequestCounts requests,
        Counting counting,
        long gcMillis,
        Map<String, Long> threads) {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path PROCESSOR_TIMES = Path.of("/proc/stat");
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int IDLE = 4;
    private static final int IO_WAIT = 5;
    private static final int STEAL = 8;
    private static final double NANOS_PER_TICK = 1e7;

    record Counting(long finished, long inline, long handOvers, long drains, long drainNanos) {
        static Counting of(List<TaskFigures> tasks) {
            long[] sums = new long[5];
            for (TaskFigures task : tasks) {
                // A source has no computations.
                AsyncMetrics async = task.async();
                sums[0] += async.finished();
                sums[1] += async.inline();
                sums[2] += async.handOvers();
                if (async.finished() > 0) {
                    sums[3] += async.drains();
                    sums[4] += async.drainNanos();
                }
            }
            return new Counting(sums[0], sums[1], sums[2], sums[3], sums[4]);
        }
    }

    static Moment now(DisaggPipelineResult result) throws IOException {
        long gc = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            gc += collector.getCollectionTime();
        }
        long[] ticks = ticks();
        return new Moment(
                System.nanoTime(),
                SYSTEM.getProcessCpuTime(),
                ticks[0],
                ticks[1],
                result.requests(),
                Counting.of(result.tasks()),
                gc,
                threadTicks());
    }

    /** What happened since {@code from}, as {@code name=value} words. */
    String since(Moment from) {
        RequestCounts made = requests.minus(from.requests);
        long all = allTicks - from.allTicks;
        return String.format(
                Locale.ROOT,
                "elements=%d nanos=%d cpuNanos=%d inline=%d handOvers=%d reads=%d readBytes=%d machineBusy=%.3f gcMillis=%d",
                counting.finished - from.counting.finished,
                nanos - from.nanos,
                cpuNanos - from.cpuNanos,
                counting.inline - from.counting.inline,
                counting.handOvers - from.counting.handOvers,
                made.reads(),
                made.bytesRead(),
                all == 0 ? 0 : (double) (busyTicks - from.busyTicks) / all,
                gcMillis - from.gcMillis);
    }

    /** Where the processor time since {@code from} went: microseconds per element by name of thread. */
    String threadsSince(Moment from) {
        double elements = Math.max(1, counting.finished - from.counting.finished);
        StringBuilder text = new StringBuilder();
        threads.forEach((name, ticks) -> {
            double micros = (ticks - from.threads.getOrDefault(name, 0L)) * NANOS_PER_TICK / 1000 / elements;
            if (micros >= 0.01) {
                text.append(String.format(Locale.ROOT, "%s%s %.2f", text.isEmpty() ? "" : ", ", name, micros));
            }
        });
        return text.toString();
    }

    /** Busy and all ticks of all processors since the machine was started; zeros where that is not told. */
    private static long[] ticks() throws IOException {
        if (!Files.isReadable(PROCESSOR_TIMES)) {
            return new long[2];
        }
        String[] words = Files.readAllLines(PROCESSOR_TIMES).get(0).trim().split("\\s+");
        long all = 0;
        for (int i = 1; i < Math.min(words.length, STEAL + 1); i++) {
            all += Long.parseLong(words[i]);
        }
        return new long[] {all - Long.parseLong(words[IDLE]) - Long.parseLong(words[IO_WAIT]), all};
    }

    /** Nothing where that is not told; a thread that has ended is not in it. */
    private static Map<String, Long> threadTicks() throws IOException {
        Map<String, Long> ticks = new TreeMap<>();
        if (!Files.isDirectory(THREADS)) {
            return ticks;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(THREADS)) {
            for (Path thread : all) {
                addThread(thread, ticks);
            }
        }
        return ticks;
    }

    private static void addThread(Path thread, Map<String, Long> ticks) throws IOException {
        String line;
        try {
            line = Files.readString(thread.resolve("stat"));
        } catch (NoSuchFileException ended) {
            return;
        }
        int end = line.lastIndexOf(')');
        String[] words = line.substring(end + 2).split(" ");
        // User and system time are the 14th and the 15th word; the name, the 2nd, may have blanks.
        ticks.merge(
                line.substring(line.indexOf('(') + 1, end).replaceAll("[-#0-9\\[\\] ]+$", ""),
                Long.parseLong(words[11]) + Long.parseLong(words[12]),
                Long::sum);
    }
}
