// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import java.util.List;
import java.util.Map;

/** Every main class of Beam's examples is in one of these: run, or left out for a reason. Names below the root package. */
final class Examples {
    /** They make their input themselves. */
    static final List<String> CREATE = List.of(
            "ApproximateQuantilesExample",
            "CoGroupByKeyExample",
            "CombineExample",
            "CountExample",
            "CountPerKeyExample",
            "CreateExample",
            "DistinctExample",
            "FlatMapElementsExample",
            "GroupIntoBatchesExample",
            "KeysExample",
            "KvSwapExample",
            "LatestExample",
            "MapElementsExample",
            "MaxExample",
            "MaxPerKeyExample",
            "MeanExample",
            "MeanPerKeyExample",
            "MinExample",
            "MinPerKeyExample",
            "PartitionExample",
            "RegexExample",
            "SampleExample",
            "SumExample",
            "SumPerKeyExample",
            "ToStringExample",
            "TopExample",
            "ValuesExample",
            "ViewExample",
            "WindowExample");

    /** They read files and write files or their log. */
    static final List<String> FILES = List.of(
            "DebuggingWordCount",
            "WindowedWordCount",
            "WordCount",
            "complete.TfIdf",
            "complete.TopWikipediaSessions",
            "complete.game.HourlyTeamScore",
            "complete.game.UserScore",
            "cookbook.DistinctExample");

    static final Map<String, String> LEFT_OUT = Map.ofEntries(
            Map.entry("MinimalWordCount", "reads a fixed file of Google Cloud Storage"),
            Map.entry(
                    "KafkaPassengerCountJson",
                    "reads a topic that Beam's Playground fills; KafkaIO has tests of its own"),
            Map.entry("KafkaStreaming", "never ends and reads the clock; KafkaIO has tests of its own"),
            Map.entry("KafkaWordCountAvro", "needs Confluent's serializers, which are not on Maven Central"),
            Map.entry("KafkaWordCountJson", "reads a topic that Beam's Playground fills; KafkaIO has tests of its own"),
            Map.entry("complete.AutoComplete", "needs BigQuery and Datastore"),
            Map.entry("complete.StreamingWordExtract", "writes to BigQuery"),
            Map.entry("complete.TrafficMaxLaneFlow", "writes to BigQuery"),
            Map.entry("complete.TrafficRoutes", "writes to BigQuery"),
            Map.entry(
                    "complete.datatokenization.DataTokenization", "needs Pub/Sub, BigQuery or Bigtable, and a service"),
            Map.entry("complete.game.GameStats", "reads Pub/Sub, writes to BigQuery"),
            Map.entry("complete.game.LeaderBoard", "reads Pub/Sub, writes to BigQuery"),
            Map.entry("complete.game.StatefulTeamScore", "reads Pub/Sub, writes to BigQuery"),
            Map.entry("complete.game.injector.Injector", "writes to Pub/Sub; not a pipeline"),
            Map.entry("complete.kafkatopubsub.KafkaToPubsub", "writes to Pub/Sub"),
            Map.entry("cookbook.BigQueryTornadoes", "reads BigQuery"),
            Map.entry("cookbook.CombinePerKeyExamples", "reads BigQuery"),
            Map.entry("cookbook.FilterExamples", "reads BigQuery"),
            Map.entry("cookbook.IcebergTaxiExamples", "reads Pub/Sub, writes to an Iceberg catalog on Google Cloud"),
            Map.entry("cookbook.JoinExamples", "reads BigQuery"),
            Map.entry("cookbook.MaxPerKeyExamples", "reads BigQuery"),
            Map.entry("cookbook.MinimalBigQueryTornadoes", "reads BigQuery"),
            Map.entry("cookbook.TriggerExample", "writes to BigQuery"),
            Map.entry("multilanguage.PythonDataframeWordCount", "needs a Python environment and a portable runner"),
            Map.entry("multilanguage.SklearnMnistClassification", "needs a Python environment and a portable runner"),
            Map.entry("snippets.Snippets$CustomSessionPipeline", "makes a pipeline and never runs it"),
            Map.entry("snippets.Snippets$DeadLetterBigQuery", "writes to BigQuery"),
            Map.entry("subprocess.ExampleEchoPipeline", "needs a C++ program that is to be built first"));

    private Examples() {}
}
