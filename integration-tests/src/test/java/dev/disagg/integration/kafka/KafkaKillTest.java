// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.integration.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link CountingPipeline} in processes that are killed, while events come, and started again by the same command. */
class KafkaKillTest {
    private static final long SEED = Long.getLong("disagg.test.seed", 5);
    private static final int EVENTS = 4000;
    private static final int KEYS = 60;
    private static final int PARTITIONS = 4;
    /** Sent before each look at the results, so that events come for as long as processes are killed. */
    private static final int SENT_AT_ONCE = 50;

    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path directory;

    @Test
    void unboundedSourceLosesNothingAndCountsOnce() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(directory.resolve("broker"))) {
            List<String> outputs = countAndKill(broker, 3, "--commitOffsets=true");

            // The one that KafkaIO takes by default, as it says itself.
            assertThat(outputs.get(0), containsString("KafkaUnboundedSource"));
            // Offsets are committed for those who watch them; what a restore goes by is the checkpoint.
            assertThat(broker.committed(CountingPipeline.GROUP), is(allOf(greaterThan(0L), lessThanOrEqualTo((long)
                    EVENTS))));
        }
    }

    @Test
    void splittableDoFnLosesNothingAndCountsOnce() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(directory.resolve("broker"))) {
            List<String> outputs = countAndKill(broker, 2, "--experiments=use_sdf_read");

            assertThat(outputs.get(0), containsString("ReadFromKafkaDoFn"));
        }
    }

    /** Returns what the processes have printed. */
    private List<String> countAndKill(KafkaBroker broker, int kills, String... options) throws Exception {
        Events events = new Events(SEED, EVENTS, KEYS);
        int expected = events.expected().values().stream().mapToInt(List::size).sum();
        List<Integer> points = points(kills, expected);
        broker.createTopic(CountingPipeline.EVENTS, PARTITIONS);
        broker.createTopic(CountingPipeline.COUNTS, 2);
        List<String> outputs = new ArrayList<>();
        Counts counts = new Counts();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        int sent = 0;
        ChildJvm process = start(broker, options);
        try (KafkaProducer<String, String> producer = broker.producer();
                KafkaConsumer<String, String> results = broker.reader(CountingPipeline.COUNTS, 2)) {
            while (counts.distinct() < expected) {
                for (int i = 0; i < SENT_AT_ONCE && sent < EVENTS; i++) {
                    Events.Event event = events.all().get(sent++);
                    producer.send(new ProducerRecord<>(CountingPipeline.EVENTS, event.key(), event.id()));
                }
                results.poll(Duration.ofMillis(100)).forEach(counts::add);
                if (!points.isEmpty() && counts.distinct() >= points.get(0)) {
                    points.remove(0);
                    process.kill();
                    outputs.add(ended(process));
                    process = start(broker, options);
                }
                if (!process.isAlive() || System.nanoTime() > endNanos) {
                    throw new AssertionError("seed " + SEED + ": " + counts.distinct() + " of " + expected
                            + " results when the process "
                            + (process.isAlive() ? "had had " + LIMIT_SECONDS + " s" : "ended") + ":\n"
                            + process.output());
                }
            }
            // Ends with a last checkpoint, and a last bundle.
            process.terminate();
            process.exit();
            outputs.add(process.output());
            results.poll(Duration.ofSeconds(1)).forEach(counts::add);
        } finally {
            process.close();
        }
        System.out.println("kafka: " + List.of(options) + ": " + expected + " counts of " + EVENTS + " events, "
                + (counts.records() - expected) + " results repeated after " + kills + " kills");
        assertThat("seed " + SEED, counts.contradictions(), is(empty()));
        assertThat("seed " + SEED, counts.inOrder(), equalTo(events.expected()));
        for (String restarted : outputs.subList(1, outputs.size())) {
            assertThat(restarted, containsString("restored checkpoint "));
        }
        return outputs;
    }

    /** How many results are seen at each kill: one in each part of the whole, and none in the last part. */
    private static List<Integer> points(int kills, int expected) {
        Random random = new Random(SEED);
        int part = expected / (kills + 1);
        List<Integer> points = new ArrayList<>();
        for (int kill = 0; kill < kills; kill++) {
            points.add(part * kill + part / 2 + random.nextInt(part / 2));
        }
        Collections.sort(points);
        return points;
    }

    private ChildJvm start(KafkaBroker broker, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "--runner=DisaggRunner",
                "--broker=" + broker.address(),
                "--stateUri=" + directory.resolve("state").toUri(),
                "--jobName=counting",
                "--restore=auto",
                "--checkpointInterval=500ms",
                "--parallelism=2",
                "--progressInterval=1s"));
        args.addAll(List.of(options));
        return ChildJvm.start(directory, "512m", CountingPipeline.class.getName(), args);
    }

    private static String ended(ChildJvm process) throws InterruptedException {
        assertThat(process.output(), process.exit(), is(ChildJvm.KILLED));
        return process.output();
    }
}
