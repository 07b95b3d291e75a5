// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.options.Default;
import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * From topic {@code NAME-events} to topic {@code NAME-counts}. Takes events {@code (key, id)}; gives for each id that is new to
 * its key {@code (key, "count id")}, with the number of ids that the key has had.
 */
public final class CountingPipeline {
    static final String EVENTS = "-events";
    static final String COUNTS = "-counts";
    static final String GROUP = "counting";

    /** Options of this pipeline. */
    public interface Options extends PipelineOptions {
        @Description("host:port of the broker")
        String getBroker();

        void setBroker(String value);

        @Description("The first part of the topics' names")
        @Default.String("")
        String getTopics();

        void setTopics(String value);

        @Description("Whether offsets are committed to the consumer group when a checkpoint is")
        @Default.Boolean(false)
        boolean getCommitOffsets();

        void setCommitOffsets(boolean value);

        @Description("Whether results are written in Kafka's transactions")
        @Default.Boolean(false)
        boolean getExactlyOnceSink();

        void setExactlyOnceSink(boolean value);
    }

    private CountingPipeline() {}

    /** Runs until it is killed. */
    public static void main(String[] args) {
        Options options = PipelineOptionsFactory.fromArgs(args).withValidation().as(Options.class);
        KafkaIO.Read<String, String> read = KafkaIO.<String, String>read()
                .withBootstrapServers(options.getBroker())
                .withTopic(options.getTopics() + EVENTS)
                .withKeyDeserializer(StringDeserializer.class)
                .withValueDeserializer(StringDeserializer.class)
                .withConsumerConfigUpdates(Map.of("auto.offset.reset", "earliest", "group.id", GROUP));
        KafkaIO.Write<String, String> write = KafkaIO.<String, String>write()
                .withBootstrapServers(options.getBroker())
                .withTopic(options.getTopics() + COUNTS)
                .withKeySerializer(StringSerializer.class)
                .withValueSerializer(StringSerializer.class);
        Pipeline pipeline = Pipeline.create(options);
        pipeline.apply("Read", (options.getCommitOffsets() ? read.commitOffsetsInFinalize() : read).withoutMetadata())
                .apply("Count", ParDo.of(new CountIds()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply("Write", options.getExactlyOnceSink() ? write.withEOS(1, "counting-sink") : write);
        pipeline.run().waitUntilFinish();
    }

    private static final class CountIds extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;

        @StateId("seen")
        private final StateSpec<SetState<String>> seenSpec = StateSpecs.set(StringUtf8Coder.of());

        @StateId("count")
        private final StateSpec<ValueState<Long>> countSpec = StateSpecs.value();

        @ProcessElement
        public void process(
                @Element KV<String, String> event,
                @StateId("seen") SetState<String> seen,
                @StateId("count") ValueState<Long> count,
                OutputReceiver<KV<String, String>> output) {
            if (!seen.addIfAbsent(event.getValue()).read()) {
                return;
            }
            Long before = count.read();
            long now = before == null ? 1 : before + 1;
            count.write(now);
            output.output(KV.of(event.getKey(), now + " " + event.getValue()));
        }
    }
}
