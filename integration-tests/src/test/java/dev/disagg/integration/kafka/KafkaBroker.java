// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import dev.disagg.integration.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A running broker on the loopback interface, in a process of its own. */
final class KafkaBroker implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final ChildJvm process;
    private final String address;

    private KafkaBroker(ChildJvm process, String address) {
        this.process = process;
        this.address = address;
    }

    /** Starts one and waits until it serves. What it stores is below {@code directory}. */
    static KafkaBroker start(Path directory) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        int port;
        int controllerPort;
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = one.getLocalPort();
            controllerPort = other.getLocalPort();
        }
        ChildJvm process = ChildJvm.start(
                directory,
                "384m",
                BrokerMain.class.getName(),
                List.of(directory.toString(), String.valueOf(port), String.valueOf(controllerPort)));
        try {
            process.awaitLine(line -> line.contains("Kafka Server started"));
        } catch (AssertionError | InterruptedException e) {
            process.close();
            throw e;
        }
        return new KafkaBroker(process, "127.0.0.1:" + port);
    }

    /** {@code host:port}. */
    String address() {
        return address;
    }

    void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", address, "acks", "all", "linger.ms", "5"),
                new StringSerializer(),
                new StringSerializer());
    }

    /** A consumer that reads the topic from its beginning, without a group. */
    KafkaConsumer<String, String> reader(String topic, int partitions) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", address, "enable.auto.commit", "false", "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.assign(IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList());
        return consumer;
    }

    /** Offsets that a consumer group has committed, all partitions together. */
    long committed(String group) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            return admin
                    .listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS)
                    .values()
                    .stream()
                    .mapToLong(offset -> offset.offset())
                    .sum();
        }
    }

    String output() {
        return process.output();
    }

    @Override
    public void close() {
        process.close();
    }
}
