// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.first;

import com.sun.management.OperatingSystemMXBean;
import dev.disagg.runner.DisaggRunner;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/**
 * The measured process: {@code FirstRun disagg|direct JOB EVENTS SECONDS}. Runs the job once cold, then again until it is warm, then
 * once for the figure; prints {@code RESULT <events> <cpu nanoseconds> <events of the cold run> <cpu nanoseconds from the start of the process to its end>}.
 */
public final class FirstRun {
    /** The first run of DirectRunner, from which the size of the measured one is told. */
    private static final long DIRECT_COLD_EVENTS = 20_000;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private FirstRun() {}

    /** @param args as the class says */
    public static void main(String[] args) {
        Job job = Job.valueOf(args[1]);
        long most = Long.parseLong(args[2]);
        long seconds = Long.parseLong(args[3]);
        boolean direct = args[0].equals("direct");
        PipelineOptions options = PipelineOptionsFactory.create();
        options.setRunner(direct ? DirectRunner.class : DisaggRunner.class);

        long coldEvents = direct ? Math.min(most, DIRECT_COLD_EVENTS) : most;
        job.run(options, coldEvents);
        long coldNanos = SYSTEM.getProcessCpuTime();

        job.run(options, coldEvents);
        long before = uptimeMillis();
        job.run(options, coldEvents);
        long millis = Math.max(1, uptimeMillis() - before);
        long events = direct ? Math.min(most, wholeKeys(coldEvents * seconds * 1000 / millis)) : most;

        long from = SYSTEM.getProcessCpuTime();
        job.run(options, events);
        long nanos = SYSTEM.getProcessCpuTime() - from;
        System.out.println(String.format(Locale.ROOT, "RESULT %d %d %d %d", events, nanos, coldEvents, coldNanos));
        System.exit(0);
    }

    private static long wholeKeys(long events) {
        return Math.max(1, events / Job.EVENTS_PER_KEY) * Job.EVENTS_PER_KEY;
    }

    private static long uptimeMillis() {
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }
}
