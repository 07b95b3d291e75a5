// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import com.sun.management.OperatingSystemMXBean;
import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.DisaggRunner;
import dev.disagg.ufs.RequestCounts;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.ParDo;

/**
 * One run of the counting pipeline in a process of its own: {@code CountRun load|measure [--option=value...]}, with the options
 * of {@link CountOptions}. {@code load} counts each key once, takes a checkpoint and ends. {@code measure} runs for the
 * seconds of warm-up and of measurement, and is cancelled. Both print one line {@code RESULT name=value...}.
 */
public final class CountRun {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path PROCESSOR_TIMES = Path.of("/proc/stat");
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final long POLL_MILLIS = 50;

    /** What was counted at one moment. */
    private record Moment(
            long nanos,
            long cpuNanos,
            long[] machineTicks,
            long elements,
            RequestCounts requests,
            long gcMillis,
            Map<String, Long> threads) {

        static Moment now(DisaggPipelineResult result) throws IOException {
            long gc = 0;
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                gc += collector.getCollectionTime();
            }
            return new Moment(
                    System.nanoTime(), SYSTEM.getProcessCpuTime(), ticks(), Done.elements(), result.requests(), gc, threads());
        }
    }

    private CountRun() {}

    /** @param args as the class says */
    public static void main(String[] args) throws IOException, InterruptedException {
        boolean load = args[0].equals("load");
        String[] rest = List.of(args).subList(1, args.length).toArray(String[]::new);
        PipelineOptionsFactory.register(CountOptions.class);
        CountOptions options = PipelineOptionsFactory.fromArgs(rest).withValidation().as(CountOptions.class);
        options.setRunner(DisaggRunner.class);
        options.setLoadOnly(load);
        Pipeline pipeline = Pipeline.create(options);
        pipeline.apply("Keys", org.apache.beam.sdk.io.Read.from(new Keys())).apply("Count", ParDo.of(new CountFn()));
        DisaggPipelineResult result = (DisaggPipelineResult) pipeline.run();
        if (load) {
            await(result, options.getKeys());
            result.checkpoint().join();
        } else {
            await(result, 1);
            sleep(result, options.getWarmUpSeconds());
            Moment from = Moment.now(result);
            sleep(result, options.getSeconds());
            print(from, Moment.now(result));
        }
        result.cancel();
        System.out.println("DONE");
        System.exit(0);
    }

    private static void await(DisaggPipelineResult result, long elements) throws InterruptedException {
        while (Done.elements() < elements) {
            check(result);
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void sleep(DisaggPipelineResult result, int seconds) throws InterruptedException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() - end < 0) {
            check(result);
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void check(DisaggPipelineResult result) {
        if (result.getState().isTerminal()) {
            result.waitUntilFinish();
            throw new IllegalStateException("the pipeline ended with " + result.getState());
        }
    }

    private static void print(Moment from, Moment to) {
        RequestCounts requests = to.requests().minus(from.requests());
        long[] ticks = {to.machineTicks()[0] - from.machineTicks()[0], to.machineTicks()[1] - from.machineTicks()[1]};
        System.out.println(String.format(
                Locale.ROOT,
                "RESULT elements=%d nanos=%d cpuNanos=%d machineBusy=%.3f reads=%d readBytes=%d gcMillis=%d",
                to.elements() - from.elements(),
                to.nanos() - from.nanos(),
                to.cpuNanos() - from.cpuNanos(),
                ticks[1] == 0 ? 0 : (double) ticks[0] / ticks[1],
                requests.reads(),
                requests.bytesRead(),
                to.gcMillis() - from.gcMillis()));
        Map<String, Long> threads = new TreeMap<>(to.threads());
        from.threads().forEach((name, ticks) -> threads.merge(name, -ticks, Long::sum));
        threads.values().removeIf(all -> all < 10);
        System.out.println("THREADS ticks of 10 ms: " + threads);
    }

    /** Busy and all ticks of all processors since the machine was started; zeros where that is not told. */
    private static long[] ticks() throws IOException {
        if (!Files.isReadable(PROCESSOR_TIMES)) {
            return new long[2];
        }
        String[] words = Files.readAllLines(PROCESSOR_TIMES).get(0).trim().split("\\s+");
        long all = 0;
        for (int i = 1; i < Math.min(words.length, 9); i++) {
            all += Long.parseLong(words[i]);
        }
        long idle = Long.parseLong(words[4]) + Long.parseLong(words[5]);
        return new long[] {all - idle, all};
    }

    /** Processor time by name of thread, without numbers, in ticks; nothing where that is not told. */
    private static Map<String, Long> threads() throws IOException {
        Map<String, Long> ticks = new TreeMap<>();
        if (!Files.isDirectory(THREADS)) {
            return ticks;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(THREADS)) {
            for (Path thread : all) {
                String line = Files.readString(thread.resolve("stat"));
                String name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
                String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ");
                ticks.merge(
                        name.replaceAll("[-#0-9\\[\\] ]+$", ""),
                        Long.parseLong(words[11]) + Long.parseLong(words[12]),
                        Long::sum);
            }
        } catch (java.nio.file.NoSuchFileException e) {
            return ticks; // a thread ended just now
        }
        return ticks;
    }
}
