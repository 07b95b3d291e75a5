// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import java.util.List;
import org.apache.beam.sdk.options.Default;
import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.Hidden;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@link DisaggRunner}. Durations are written {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}; sizes
 * {@code 64MB}, {@code 10GiB} (MB is 10^6 bytes, MiB 2^20). Values are checked when the pipeline is run, all at once, before
 * anything starts; {@link Settings} holds the parsed form.
 */
public interface DisaggPipelineOptions extends PipelineOptions {
    @Description(
            "Where state and checkpoints live: a path or URI of an object store (file:///data/state, memory://test). "
                    + "The job's files are below <stateUri>/<jobName>. Default: a fresh directory under java.io.tmpdir, printed at start.")
    @Nullable
    String getStateUri();

    void setStateUri(@Nullable String value);

    @Description(
            "How keyed state is kept: 'disagg' (a log-structured merge tree on the object store), 'heap' (in memory; "
                    + "each checkpoint writes all of it) or 'rocksdb' (RocksDB on local disk; checkpoints upload its new files, "
                    + "a restore downloads all of them; needs the artifact disagg-state-rocksdb).")
    @Default.String("disagg")
    String getStateBackend();

    void setStateBackend(String value);

    @Description("Memory for state in this process: caches and memtables together. Default: 25 % of the maximum heap. "
            + "With --stateBackend=rocksdb half of it is native memory, outside of the heap.")
    @Nullable
    String getStateMemory();

    void setStateMemory(@Nullable String value);

    @Description(
            "Directory on a local disk: with --stateBackend=rocksdb, where its files are (default: java.io.tmpdir). "
                    + "Not available in this version with others.")
    @Nullable
    String getStateCacheDir();

    void setStateCacheDir(@Nullable String value);

    @Description("Bytes that --stateCacheDir may hold.")
    @Default.String("10GiB")
    String getStateCacheBytes();

    void setStateCacheBytes(String value);

    @Description("Touches per minute after which a state file is loaded into --stateCacheDir.")
    @Default.Integer(6)
    Integer getStateCacheLoadThreshold();

    void setStateCacheLoadThreshold(Integer value);

    @Description("Parallel tasks of each stage. Default: the number of processors.")
    @Nullable
    Integer getParallelism();

    void setParallelism(@Nullable Integer value);

    @Description("'on': an element that waits for state lets others go on. 'off': one element at a time.")
    @Default.String("on")
    String getAsyncState();

    void setAsyncState(String value);

    @Description("Elements and timers that one task may have started and not finished.")
    @Default.Integer(6000)
    Integer getMaxInFlightComputations();

    void setMaxInFlightComputations(Integer value);

    @Description(
            "Computations of one task that may be parked in the middle of their body, each on a thread of its own.")
    @Default.Integer(256)
    Integer getMaxParkedComputations();

    void setMaxParkedComputations(Integer value);

    @Description(
            "Time that a call of user code (an element, a timer, the end of a bundle) may take before it is named in the "
                    + "log with the stacks of the threads, or, when it waits for a lock that is held across a state read, fails the job.")
    @Default.String("1m")
    String getSlowCallTime();

    void setSlowCallTime(String value);

    @Description("Time that a call of user code may take before the job fails, or 'off'.")
    @Default.String("1h")
    String getMaxCallTime();

    void setMaxCallTime(String value);

    @Description(
            "Names of transforms (full names, or a prefix of one up to a '/') whose elements run one at a time: for user "
                    + "code that holds a lock across a state read.")
    @Nullable
    List<String> getSynchronousTransforms();

    void setSynchronousTransforms(@Nullable List<String> value);

    @Description("Elements after which a bundle is finished.")
    @Default.Integer(1000)
    Integer getMaxBundleElements();

    void setMaxBundleElements(Integer value);

    @Description("Milliseconds after which a bundle is finished.")
    @Default.Long(1000)
    Long getMaxBundleMillis();

    void setMaxBundleMillis(Long value);

    @Description("Time between checkpoints, or 'off'. Default: 10s for unbounded pipelines, off for bounded ones.")
    @Nullable
    String getCheckpointInterval();

    void setCheckpointInterval(@Nullable String value);

    @Description("Time after which a checkpoint that is not complete is given up.")
    @Default.String("10m")
    String getCheckpointTimeout();

    void setCheckpointTimeout(String value);

    @Description("Checkpoints that are kept.")
    @Default.Integer(1)
    Integer getRetainedCheckpoints();

    void setRetainedCheckpoints(Integer value);

    @Description("'aligned': tasks finish what is started before a snapshot.")
    @Default.String("aligned")
    String getCheckpointMode();

    void setCheckpointMode(String value);

    @Description(
            "What to start from: 'auto' (the newest checkpoint, or fresh when there is none), 'latest', a checkpoint's "
                    + "number, or the URI of a checkpoint. Default: nothing; a used state directory is then refused.")
    @Nullable
    String getRestore();

    void setRestore(@Nullable String value);

    @Description("Where savepoints go when no target is given. Not available in this version.")
    @Nullable
    String getSavepoint();

    void setSavepoint(@Nullable String value);

    @Description("Keep the state of a bounded job after it is DONE.")
    @Default.Boolean(false)
    boolean isKeepState();

    void setKeepState(boolean value);

    @Description("'embedded': this process.")
    @Default.String("embedded")
    String getEngine();

    void setEngine(String value);

    @Description("host:port of a Flink cluster. Not available in this version.")
    @Nullable
    String getFlinkMaster();

    void setFlinkMaster(@Nullable String value);

    @Description("min,max parallelism to scale between. Not available in this version.")
    @Nullable
    String getAutoscale();

    void setAutoscale(@Nullable String value);

    @Description("Write a template there instead of running. Not available in this version.")
    @Nullable
    String getTemplateLocation();

    void setTemplateLocation(@Nullable String value);

    @Description("Port of the web page. Not available in this version.")
    @Nullable
    Integer getWebPort();

    void setWebPort(@Nullable Integer value);

    @Description("Print the stages that the pipeline becomes, and stop.")
    @Default.Boolean(false)
    boolean isExplain();

    void setExplain(boolean value);

    @Description(
            "Encoded size, in bytes, up to which a pane of a side input is held in the memory of the tasks that read it. "
                    + "A larger one is written once, and read through the block cache where it lies.")
    @Default.Integer(1048576)
    int getSideInputInlineBytes();

    void setSideInputInlineBytes(int value);

    @Description("Encode elements between stages, so that a DoFn that modifies its input cannot harm another.")
    @Default.Boolean(false)
    boolean isCopyElements();

    void setCopyElements(boolean value);

    @Description("Latency put in front of each request to the object store, for tests and benchmarks.")
    @Default.String("0")
    String getStateLatency();

    void setStateLatency(String value);

    @Description("Print a progress line at this interval, or 'off'.")
    @Default.String("off")
    String getProgressInterval();

    void setProgressInterval(String value);

    @Hidden
    @Description(
            "Seed: every state read takes the path of a read that is not in memory, with random hand-overs. For tests.")
    @Nullable
    Long getDelayedReads();

    void setDelayedReads(@Nullable Long value);
}
