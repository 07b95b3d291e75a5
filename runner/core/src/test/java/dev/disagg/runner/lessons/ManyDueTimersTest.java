// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many timers, one for each key, a fifth of them cleared, the others due at one watermark; the process is killed while they
 * fire. 10,000,000 of them in a heap of 512 MB at night; {@code -Ddisagg.timers} says another number.
 */
class ManyDueTimersTest {
    private static final boolean NIGHT = Boolean.getBoolean("disagg.night");
    private static final long KEYS = Long.getLong("disagg.timers", NIGHT ? 10_000_000 : 100_000);
    private static final String HEAP = "-Xmx" + Integer.getInteger("disagg.heapMegabytes", NIGHT ? 512 : 64) + "m";
    private static final long LIMIT_SECONDS = NIGHT ? 7200 : 300;

    @TempDir
    Path directory;

    private Process start(Path log) throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        HEAP,
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .replace("\n", File.pathSeparator),
                        ManyTimers.class.getName(),
                        directory.toString(),
                        Long.toString(KEYS),
                        "--runner=DisaggRunner",
                        "--parallelism=1",
                        "--stateUri=" + directory.resolve("state").toUri(),
                        "--jobName=timers",
                        "--restore=auto",
                        NIGHT ? "--checkpointInterval=10s" : "--checkpointInterval=500ms"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** Kills the process when it has said so much, or when time is up. */
    private static void killAt(Process process, Path log, String said) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (process.isAlive() && !Files.readString(log).contains(said) && System.nanoTime() < endNanos) {
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        process.destroyForcibly().waitFor();
    }

    @Test
    void timersThatAreAllDueFireOnceEachAlthoughTheProcessIsKilled() throws Exception {
        Path first = directory.resolve("first.log");
        Process killed = start(first);
        killAt(killed, first, "fired " + KEYS / 20 * 5);
        assertThat(Files.readString(first), killed.exitValue(), is(128 + 9));
        assertThat(Files.readString(first), containsString("fired "));
        assertThat(Files.readString(first), not(containsString("done after")));

        Path second = directory.resolve("second.log");
        Process restored = start(second);
        boolean ended = restored.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        restored.destroyForcibly();
        String output = Files.readString(second);
        assertThat("ended by itself: " + output, ended, is(true));
        assertThat(output, restored.exitValue(), is(0));

        long live = 0;
        long sum = 0;
        for (long key = 0; key < KEYS; key++) {
            if (key % ManyTimers.CLEARED != 0) {
                live++;
                sum += key;
            }
        }
        assertThat("timers fired", Files.readString(directory.resolve("count")), is(Long.toString(live)));
        assertThat("sum of their keys", Files.readString(directory.resolve("sum")), is(Long.toString(sum)));
        System.out.println(KEYS + " timers: killed after " + last(first) + "; restored " + last(second));
    }

    private static String last(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return lines.get(lines.size() - 1);
    }
}
