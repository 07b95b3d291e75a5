// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/** One Kafka node, broker and controller, until it is killed: {@code directory brokerPort controllerPort}. */
final class BrokerMain {
    private BrokerMain() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        Path properties = Files.write(
                directory.resolve("server.properties"),
                List.of(
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@127.0.0.1:" + args[2],
                        "listeners=PLAINTEXT://127.0.0.1:" + args[1] + ",CONTROLLER://127.0.0.1:" + args[2],
                        "advertised.listeners=PLAINTEXT://127.0.0.1:" + args[1],
                        "controller.listener.names=CONTROLLER",
                        "log.dirs=" + directory.resolve("log"),
                        "auto.create.topics.enable=false",
                        "group.initial.rebalance.delay.ms=0",
                        "offsets.topic.num.partitions=1",
                        "offsets.topic.replication.factor=1",
                        "transaction.state.log.num.partitions=1",
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1",
                        "log.cleaner.enable=false",
                        "num.network.threads=1",
                        "num.io.threads=2"));
        int formatted = StorageTool.execute(
                new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", properties.toString()}, System.out);
        if (formatted != 0) {
            System.exit(formatted);
        }
        Kafka.main(new String[] {properties.toString()});
    }
}
