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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link CountingPipeline} in processes that are killed, while events come, and started again by the same command. */
class KafkaKillTest {
    private static final long SEED = Long.getLong("disagg.test.seed", 5);
    private static final int EVENTS = 4000;
    private static final int KEYS = 60;
    private static final int PARTITIONS = 4;
    /** How many events are sent before their results are seen: they come for as long as processes are killed. */
    private static final int AHEAD = 400;

    private static final long LIMIT_SECONDS = 240;

    /** In the line of progress, after the first checkpoint of a process. */
    private static final String COMMITTED = " took ";

    private static final String RESTORED = "restored checkpoint ";

    private static KafkaBroker broker;

    @TempDir
    Path directory;

    @BeforeAll
    static void startBroker(@TempDir Path directory) throws IOException, InterruptedException {
        broker = KafkaBroker.start(directory);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Test
    void unboundedSourceLosesNothingAndCountsOnce() throws Exception {
        List<String> outputs = countAndKill(
                "unbounded", 3, "--commitOffsets=true", () -> broker.committed(CountingPipeline.GROUP) > 0);

        // The one that KafkaIO takes by default, as it says itself.
        assertThat(outputs.get(0), containsString("KafkaUnboundedSource"));
        // Offsets are committed for those who watch them; what a restore goes by is the checkpoint.
        assertThat(
                broker.committed(CountingPipeline.GROUP), is(allOf(greaterThan(0L), lessThanOrEqualTo((long) EVENTS))));
    }

    @Test
    void splittableDoFnLosesNothingAndCountsOnce() throws Exception {
        List<String> outputs = countAndKill("splittable", 2, "--experiments=use_sdf_read", () -> true);

        assertThat(outputs.get(0), containsString("ReadFromKafkaDoFn"));
    }

    /**
     * Returns what the processes have printed.
     *
     * @param over what else must have come about before the last process is ended
     */
    private List<String> countAndKill(String topics, int kills, String option, Callable<Boolean> over)
            throws Exception {
        Events events = new Events(SEED, EVENTS, KEYS);
        int expected = events.expected().values().stream().mapToInt(List::size).sum();
        List<Integer> points = points(kills, expected);
        broker.createTopic(topics + CountingPipeline.EVENTS, PARTITIONS);
        broker.createTopic(topics + CountingPipeline.COUNTS, 2);
        List<String> outputs = new ArrayList<>();
        Counts counts = new Counts();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        int sent = 0;
        ChildJvm process = start(topics, option);
        try (KafkaProducer<String, String> producer = broker.producer();
                KafkaConsumer<String, String> results = broker.reader(topics + CountingPipeline.COUNTS, 2)) {
            while (counts.distinct() < expected || !over.call()) {
                while (sent < EVENTS && sent < AHEAD + counts.distinct() * (double) EVENTS / expected) {
                    Events.Event event = events.all().get(sent++);
                    producer.send(new ProducerRecord<>(topics + CountingPipeline.EVENTS, event.key(), event.id()));
                }
                results.poll(Duration.ofMillis(100)).forEach(counts::add);
                if (!points.isEmpty()
                        && counts.distinct() >= points.get(0)
                        && process.output().contains(outputs.isEmpty() ? COMMITTED : RESTORED)) {
                    points.remove(0);
                    process.kill();
                    outputs.add(ended(process));
                    process = start(topics, option);
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
        System.out.println("kafka: " + option + ": " + expected + " counts of " + EVENTS + " events, "
                + (counts.records() - expected) + " results repeated after " + kills + " kills");
        assertThat("seed " + SEED, counts.contradictions(), is(empty()));
        assertThat("seed " + SEED, counts.inOrder(), equalTo(events.expected()));
        for (String restarted : outputs.subList(1, outputs.size())) {
            assertThat(restarted, containsString(RESTORED));
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

    private ChildJvm start(String topics, String option) throws IOException {
        List<String> args = List.of(
                "--runner=DisaggRunner",
                "--broker=" + broker.address(),
                "--topics=" + topics,
                "--stateUri=" + directory.resolve("state").toUri(),
                "--jobName=counting",
                "--restore=auto",
                "--checkpointInterval=500ms",
                "--parallelism=2",
                "--progressInterval=200ms",
                option);
        return ChildJvm.start(directory, "512m", CountingPipeline.class.getName(), args);
    }

    private static String ended(ChildJvm process) throws InterruptedException {
        assertThat(process.output(), process.exit(), is(ChildJvm.KILLED));
        return process.output();
    }
}
