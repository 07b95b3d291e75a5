// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.BigEndianLongCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Instant;

/**
 * The program of {@link ManyDueTimersTest}: one timer for each of many keys, all due when the input ends. A fifth of them
 * is cleared by a second element of the key. Arguments: a directory, the number of keys, options of the pipeline.
 */
public final class ManyTimers {
    /** Of five keys one is cleared. */
    static final long CLEARED = 5;

    private ManyTimers() {}

    /** Sets at 1 and clears at 0. */
    static final class SetAndClear extends DoFn<KV<Long, Long>, Long> {
        private static final long serialVersionUID = 1L;
        private static final AtomicLong CALLS = new AtomicLong();
        private static final AtomicLong FIRED = new AtomicLong();

        private final long each;

        @TimerId("end")
        private final TimerSpec end = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        SetAndClear(long each) {
            this.each = each;
        }

        @ProcessElement
        public void process(@Element KV<Long, Long> element, @TimerId("end") Timer timer) {
            if (element.getValue() == 0) {
                timer.clear();
            } else {
                timer.set(new Instant(1000));
            }
            say("seen", CALLS.incrementAndGet(), each);
        }

        @OnTimer("end")
        public void end(@Key Long key, OutputReceiver<Long> out) {
            out.output(key);
            say("fired", FIRED.incrementAndGet(), each);
        }
    }

    /** Now and then says how far it is, and what that took so far. */
    private static void say(String what, long count, long each) {
        if (count % each == 0) {
            System.out.println(what + " " + count + " after " + cost());
        }
    }

    private static String cost() {
        RuntimeMXBean process = ManagementFactory.getRuntimeMXBean();
        long peakBytes = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        long cpuMillis = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toMillis();
        return process.getUptime() / 1000 + " s, " + cpuMillis / 1000 + " s of CPU, peak heap " + (peakBytes >> 20)
                + " MiB";
    }

    static final class WriteTo extends DoFn<Long, Void> {
        private static final long serialVersionUID = 1L;
        private final String file;

        WriteTo(Path file) {
            this.file = file.toString();
        }

        @ProcessElement
        public void process(@Element Long number) throws IOException {
            Files.writeString(Path.of(file), Long.toString(number));
        }
    }

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        long keys = Long.parseLong(arguments[1]);
        Pipeline pipeline =
                Pipeline.create(PipelineOptionsFactory.fromArgs(Arrays.copyOfRange(arguments, 2, arguments.length))
                        .create());
        // One split, in order: the elements that clear come behind all others.
        PCollection<Long> fired = pipeline.apply(
                        "Numbers", GenerateSequence.from(0).to(keys + keys / CLEARED))
                .apply(
                        "Keys",
                        MapElements.into(TypeDescriptors.kvs(TypeDescriptors.longs(), TypeDescriptors.longs()))
                                .via(number ->
                                        number < keys ? KV.of(number, 1L) : KV.of((number - keys) * CLEARED, 0L)))
                .setCoder(KvCoder.of(BigEndianLongCoder.of(), BigEndianLongCoder.of()))
                .apply("Timers", ParDo.of(new SetAndClear(Math.max(1, keys / 20))));
        fired.apply("Count", Count.globally()).apply("WriteCount", ParDo.of(new WriteTo(directory.resolve("count"))));
        fired.apply("Sum", Sum.longsGlobally()).apply("WriteSum", ParDo.of(new WriteTo(directory.resolve("sum"))));
        pipeline.run().waitUntilFinish();
        System.out.println("done after " + cost());
    }
}
