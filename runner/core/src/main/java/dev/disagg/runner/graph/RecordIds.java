// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.runners.AppliedPTransform;
import org.apache.beam.sdk.runners.PTransformOverride;
import org.apache.beam.sdk.runners.PTransformOverrideFactory;
import org.apache.beam.sdk.transforms.Deduplicate;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.util.construction.ReplacementOutputs;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PBegin;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TupleTag;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A source that may give a record twice, each record with the id by which the second is known. Its users become a read of
 * this and Beam's {@link Deduplicate}, which keeps ids for ten minutes of processing time.
 */
final class RecordIds<T, M extends UnboundedSource.CheckpointMark> extends UnboundedSource<KV<byte[], T>, M> {
    private static final long serialVersionUID = 1L;

    static final PTransformOverride OVERRIDE = PTransformOverride.of(
            application -> application.getTransform() instanceof Read.Unbounded<?> read
                    && read.getSource().requiresDeduping(),
            new Factory<>());

    private final UnboundedSource<T, M> source;

    private RecordIds(UnboundedSource<T, M> source) {
        this.source = source;
    }

    @Override
    public List<? extends UnboundedSource<KV<byte[], T>, M>> split(int desiredNumSplits, PipelineOptions options)
            throws Exception {
        List<RecordIds<T, M>> parts = new ArrayList<>();
        for (UnboundedSource<T, M> part : source.split(desiredNumSplits, options)) {
            parts.add(new RecordIds<>(part));
        }
        return parts;
    }

    @Override
    public UnboundedReader<KV<byte[], T>> createReader(PipelineOptions options, @Nullable M mark) throws IOException {
        return new Reader(source.createReader(options, mark));
    }

    @Override
    public Coder<M> getCheckpointMarkCoder() {
        return source.getCheckpointMarkCoder();
    }

    @Override
    public Coder<KV<byte[], T>> getOutputCoder() {
        return KvCoder.of(ByteArrayCoder.of(), source.getOutputCoder());
    }

    @Override
    public void validate() {
        source.validate();
    }

    private final class Reader extends UnboundedReader<KV<byte[], T>> {
        private final UnboundedReader<T> reader;

        Reader(UnboundedReader<T> reader) {
            this.reader = reader;
        }

        @Override
        public boolean start() throws IOException {
            return reader.start();
        }

        @Override
        public boolean advance() throws IOException {
            return reader.advance();
        }

        @Override
        public KV<byte[], T> getCurrent() {
            return KV.of(reader.getCurrentRecordId(), reader.getCurrent());
        }

        @Override
        public Instant getCurrentTimestamp() {
            return reader.getCurrentTimestamp();
        }

        @Override
        public Instant getWatermark() {
            return reader.getWatermark();
        }

        @Override
        public CheckpointMark getCheckpointMark() {
            return reader.getCheckpointMark();
        }

        @Override
        public long getSplitBacklogBytes() {
            return reader.getSplitBacklogBytes();
        }

        @Override
        public long getTotalBacklogBytes() {
            return reader.getTotalBacklogBytes();
        }

        @Override
        public UnboundedSource<KV<byte[], T>, ?> getCurrentSource() {
            return RecordIds.this;
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }

    private static final class WithoutDuplicates<T, M extends CheckpointMark>
            extends PTransform<PBegin, PCollection<T>> {
        private static final long serialVersionUID = 1L;

        private final UnboundedSource<T, M> source;

        WithoutDuplicates(UnboundedSource<T, M> source) {
            this.source = source;
        }

        @Override
        public PCollection<T> expand(PBegin input) {
            return input.apply("WithRecordIds", Read.from(new RecordIds<>(source)))
                    .apply("Deduplicate", Deduplicate.keyedValues())
                    .apply("WithoutRecordIds", Values.create())
                    .setCoder(source.getOutputCoder());
        }
    }

    private static final class Factory<T>
            implements PTransformOverrideFactory<PBegin, PCollection<T>, Read.Unbounded<T>> {
        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public PTransformReplacement<PBegin, PCollection<T>> getReplacementTransform(
                AppliedPTransform<PBegin, PCollection<T>, Read.Unbounded<T>> application) {
            return PTransformReplacement.of(
                    application.getPipeline().begin(),
                    new WithoutDuplicates(application.getTransform().getSource()));
        }

        @Override
        public java.util.Map<PCollection<?>, ReplacementOutput> mapOutputs(
                java.util.Map<TupleTag<?>, PCollection<?>> outputs, PCollection<T> newOutput) {
            return ReplacementOutputs.singleton(outputs, newOutput);
        }
    }
}
