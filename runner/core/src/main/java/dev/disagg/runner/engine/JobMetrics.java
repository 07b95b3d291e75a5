// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.ufs.Corrupt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.beam.model.pipeline.v1.MetricsApi.MonitoringInfo;
import org.apache.beam.runners.core.metrics.DistributionData;
import org.apache.beam.runners.core.metrics.MetricsContainerImpl;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.apache.beam.runners.core.metrics.MonitoringInfoConstants.Labels;
import org.apache.beam.runners.core.metrics.MonitoringInfoConstants.TypeUrns;
import org.apache.beam.runners.core.metrics.MonitoringInfoEncodings;
import org.apache.beam.runners.core.metrics.MonitoringInfoMetricName;
import org.apache.beam.sdk.metrics.MetricName;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.util.HistogramData;
import org.apache.beam.vendor.grpc.v1p69p0.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a job: what its tasks have counted, on top of what the restored checkpoint contains. Each task counts for
 * itself, so that a checkpoint has what was counted before its barrier, no more.
 *
 * <p>Stored as the header of the owner {@value #OWNER}: {@code [version 1][infos 4]} and per metric {@code [length
 * 4][MonitoringInfo]}, Beam's protocol buffer, in the order of step, URN and name. Thread-safe.
 */
final class JobMetrics {
    /** The owner of what the job has counted. */
    static final String OWNER = "job metrics";

    private static final byte VERSION = 1;
    private static final int MAX_INFO_BYTES = 1 << 26;

    private final MetricsContainerStepMap restored;
    private final MetricsContainerStepMap outsideTasks = new MetricsContainerStepMap();
    private volatile @Nullable MetricsContainerStepMap committed;

    /** @param stored of the checkpoint to start from; null for none */
    JobMetrics(byte @Nullable [] stored) {
        this.restored = stored == null ? new MetricsContainerStepMap() : decode(stored);
        this.committed = stored == null ? null : restored;
    }

    /** Where that is counted which happens before there are tasks. */
    MetricsContainer outsideTasks(String step) {
        return outsideTasks.getContainer(step);
    }

    /** The sum of what was restored and of these. */
    MetricsContainerStepMap total(Iterable<MetricsContainerStepMap> ofTasks) {
        MetricsContainerStepMap total = new MetricsContainerStepMap();
        total.updateAll(restored);
        total.updateAll(outsideTasks);
        ofTasks.forEach(total::updateAll);
        return total;
    }

    /** What the last committed checkpoint contains; null when there is none. */
    @Nullable
    MetricsContainerStepMap committed() {
        return committed;
    }

    void committed(MetricsContainerStepMap total) {
        committed = total;
    }

    static byte[] encode(MetricsContainerStepMap metrics) {
        List<MonitoringInfo> infos = new ArrayList<>();
        metrics.getMonitoringInfos().forEach(infos::add);
        infos.sort(Comparator.<MonitoringInfo, String>comparing(JobMetrics::step)
                .thenComparing(MonitoringInfo::getUrn)
                .thenComparing(info -> label(info, Labels.NAMESPACE))
                .thenComparing(info -> label(info, Labels.NAME)));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeByte(VERSION);
            out.writeInt(infos.size());
            for (MonitoringInfo info : infos) {
                // When it was counted says nothing, and would make each checkpoint another one.
                byte[] one = info.toBuilder().clearStartTime().build().toByteArray();
                out.writeInt(one.length);
                out.write(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Reads back; {@link Corrupt} when the bytes are not what {@link #encode} gave. */
    static MetricsContainerStepMap decode(byte[] stored) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored));
        MetricsContainerStepMap metrics = new MetricsContainerStepMap();
        try {
            byte version = in.readByte();
            if (version != VERSION) {
                throw new Corrupt("the metrics of a checkpoint are in form " + version
                        + ", which this version does not read: restore with the version that wrote it");
            }
            int infos = in.readInt();
            for (int i = 0; i < infos; i++) {
                int length = in.readInt();
                if (length < 0 || length > MAX_INFO_BYTES) {
                    throw new IOException("a metric of " + length + " bytes");
                }
                byte[] one = new byte[length];
                in.readFully(one);
                MonitoringInfo info = MonitoringInfo.parseFrom(one);
                add(info, metrics.getContainer(step(info)));
            }
        } catch (IOException e) {
            throw new Corrupt(
                    "the metrics of a checkpoint are damaged (" + e.getMessage() + "): restore another checkpoint", e);
        }
        return metrics;
    }

    /** Beam's own way back would keep a user's metric under another name than the one under which it goes on to be counted. */
    private static void add(MonitoringInfo info, MetricsContainerImpl to) {
        String space = label(info, Labels.NAMESPACE);
        MetricName name =
                space.isEmpty() ? MonitoringInfoMetricName.of(info) : MetricName.named(space, label(info, Labels.NAME));
        ByteString value = info.getPayload();
        switch (info.getType()) {
            case TypeUrns.SUM_INT64_TYPE -> to.getCounter(name).inc(MonitoringInfoEncodings.decodeInt64Counter(value));
            case TypeUrns.DISTRIBUTION_INT64_TYPE -> {
                DistributionData data = MonitoringInfoEncodings.decodeInt64Distribution(value);
                to.getDistribution(name).update(data.sum(), data.count(), data.min(), data.max());
            }
            case TypeUrns.LATEST_INT64_TYPE ->
                to.getGauge(name)
                        .set(MonitoringInfoEncodings.decodeInt64Gauge(value).value());
            case TypeUrns.SET_STRING_TYPE ->
                to.getStringSet(name)
                        .add(MonitoringInfoEncodings.decodeStringSet(value)
                                .stringSet()
                                .toArray(String[]::new));
            case TypeUrns.BOUNDED_TRIE_TYPE ->
                to.getBoundedTrie(name).update(MonitoringInfoEncodings.decodeBoundedTrie(value));
            case TypeUrns.HISTOGRAM_TYPE -> {
                HistogramData data = MonitoringInfoEncodings.decodeInt64Histogram(value);
                to.getHistogram(name, data.getBucketType()).update(data);
            }
            default ->
                throw new Corrupt("the metric " + name + " of a checkpoint is of an unknown kind, " + info.getType()
                        + ": restore with the version that wrote it");
        }
    }

    private static String step(MonitoringInfo info) {
        return label(info, Labels.PTRANSFORM);
    }

    private static String label(MonitoringInfo info, String name) {
        return info.getLabelsOrDefault(name, "");
    }
}
