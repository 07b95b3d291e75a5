// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Sources;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.testkit.VirtualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.DelegateCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.CountingSource;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

/** What tasks store, byte for byte as drawn in {@code docs/format}: other bytes would break every checkpoint. */
class StoredBytesTest {
    private static final PipelineOptions OPTIONS = PipelineOptionsFactory.create();

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    // ---- docs/format/task-header.md

    @Test
    void theHeaderOfATask() {
        TaskHeader header = new TaskHeader(new KeyRange(0x4000, 0x8000), 0x1122, -2);
        String drawn = "01" + "00004000" + "00008000" + "0000000000001122" + "fffffffffffffffe";
        assertThat(hex(header.encode()), is(drawn));
        assertThat(TaskHeader.decode(HexFormat.of().parseHex(drawn), "step[1]"), equalTo(header));
    }

    @Test
    void theHeaderOfATaskWithStableInput() {
        KeyRange range = new KeyRange(0x4000, 0x8000);
        TaskHeader header = new TaskHeader(
                range,
                0x1122,
                -2,
                List.of(
                        new StableStep(range, -1, 0x3344, 0x5566),
                        new StableStep(new KeyRange(0x4000, 0x6000), 7, 0x7788, 0x99aa)));
        String drawn = "03" + "00004000" + "00008000" + "0000000000001122" + "fffffffffffffffe" + "00000002"
                + "00004000" + "00008000" + "ffffffffffffffff" + "0000000000003344" + "0000000000005566"
                + "00004000" + "00006000" + "0000000000000007" + "0000000000007788" + "00000000000099aa";
        assertThat(hex(header.encode()), is(drawn));
        assertThat(TaskHeader.decode(HexFormat.of().parseHex(drawn), "step[1]"), equalTo(header));
        byte[] cut = Arrays.copyOf(header.encode(), 92);
        assertThrows(Corrupt.class, () -> TaskHeader.decode(cut, "step[1]"));
    }

    @Test
    void theHeaderOfATaskWithStableInputAsItWasStoredBeforeStepsWere() {
        KeyRange range = new KeyRange(0x4000, 0x8000);
        String drawn = "02" + "00004000" + "00008000" + "0000000000001122" + "fffffffffffffffe" + "0000000000003344"
                + "0000000000005566";
        assertThat(
                TaskHeader.decode(HexFormat.of().parseHex(drawn), "step[1]"),
                equalTo(new TaskHeader(
                        range, 0x1122, -2, List.of(new StableStep(range, Long.MAX_VALUE, 0x3344, 0x5566)))));
    }

    @Test
    void aHeaderThatIsNotOneIsCorruptAndItsOwnerIsNamed() {
        byte[] whole = new TaskHeader(KeyRange.ALL, 0, 0).encode();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Corrupt corrupt = assertThrows(Corrupt.class, () -> TaskHeader.decode(cut, "step[1]"));
            assertThat(
                    corrupt.getMessage(),
                    allOf(containsString("step[1]"), containsString("restore another checkpoint")));
        }
        byte[] later = whole.clone();
        later[0] = 9;
        assertThat(
                assertThrows(Corrupt.class, () -> TaskHeader.decode(later, "step[1]"))
                        .getMessage(),
                allOf(containsString("version 9"), containsString("with the version that wrote it")));
    }

    // ---- docs/format/waiting-elements.md: splits

    @Test
    void theNamesOfSplitsAndPositions() {
        assertThat(hex(SourceTask.id(SourceTask.SPLIT, 258)), is("73" + "00000102"));
        assertThat(hex(SourceTask.id(SourceTask.POSITION, 258)), is("70" + "00000102"));
    }

    @Test
    void thePositionInABoundedSplit() throws IOException {
        BoundedSplit split = new BoundedSplit(CountingSource.upTo(300), OPTIONS, null);
        assertThat(hex(split.position().stored()), is("0000000000000000" + "00"));
        split.read(258, value -> {});
        byte[] position = split.position().stored();
        assertThat(hex(position), is("0000000000000102" + "00"));
        split.read(1000, value -> {});
        assertThat(hex(split.position().stored()), is("000000000000012c" + "01"));

        BoundedSplit restored = new BoundedSplit(CountingSource.upTo(300), OPTIONS, position);
        assertThat("before it has read", hex(restored.position().stored()), is(hex(position)));
        Object[] first = new Object[1];
        restored.read(1, value -> first[0] = value.getValue());
        assertThat(first[0], equalTo(258L));
    }

    @Test
    void thePositionOfAnImpulse() {
        ImpulseSplit split = new ImpulseSplit(false, null);
        assertThat(hex(split.position().stored()), is("00"));
        split.read(1, value -> {});
        assertThat(hex(split.position().stored()), is("01"));
        assertThat("not again after a restore", new ImpulseSplit(false, new byte[] {1}).read(1, value -> {}), is(0));
    }

    /** Five numbers; its mark is the next number. */
    private static final class Five extends UnboundedSource<Long, Five.Mark> {
        private static final long serialVersionUID = 1L;

        record Mark(long next) implements CheckpointMark {
            @Override
            public void finalizeCheckpoint() {}
        }

        @Override
        public List<Five> split(int desired, PipelineOptions options) {
            return List.of(this);
        }

        @Override
        public Coder<Mark> getCheckpointMarkCoder() {
            return DelegateCoder.of(VarLongCoder.of(), Mark::next, Mark::new);
        }

        @Override
        public Coder<Long> getOutputCoder() {
            return VarLongCoder.of();
        }

        @Override
        public UnboundedReader<Long> createReader(PipelineOptions options, Mark mark) {
            return new UnboundedReader<>() {
                private long current = mark == null ? -1 : mark.next() - 1;

                @Override
                public boolean start() {
                    return advance();
                }

                @Override
                public boolean advance() {
                    if (current >= 4) {
                        return false;
                    }
                    current++;
                    return true;
                }

                @Override
                public Long getCurrent() throws NoSuchElementException {
                    return current;
                }

                @Override
                public Instant getCurrentTimestamp() {
                    return new Instant(current);
                }

                @Override
                public Instant getWatermark() {
                    return new Instant(current);
                }

                @Override
                public CheckpointMark getCheckpointMark() {
                    return new Mark(current + 1);
                }

                @Override
                public UnboundedSource<Long, ?> getCurrentSource() {
                    return Five.this;
                }

                @Override
                public void close() {}
            };
        }
    }

    @Test
    void thePositionInAnUnboundedSplit() throws IOException {
        UnboundedSplit split = new UnboundedSplit(new Five(), OPTIONS, null);
        assertThat("not started: nothing to go on from", hex(split.position().stored()), is(""));
        split.read(3, value -> {});
        byte[] position = split.position().stored();
        assertThat(hex(position), is("0000000000000002" + "00" + "03"));

        UnboundedSplit restored = new UnboundedSplit(new Five(), OPTIONS, position);
        assertThat(restored.watermarkMillis(), is(2L));
        Object[] first = new Object[1];
        restored.read(1, value -> first[0] = value.getValue());
        assertThat(first[0], equalTo(3L));
    }

    // ---- docs/format/waiting-elements.md: side inputs

    private static final class Reads extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process() {}
    }

    private static StageGraph.Stage reader(StageGraph graph) {
        return graph.stages().stream()
                .filter(stage -> !stage.views().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatWaitsForASideInputAndThePanesOfOne() {
        Pipeline pipeline = Pipeline.create();
        PCollectionView<List<Long>> view = pipeline.apply("Ten", Create.of(10L))
                .apply("AsList", View.<Long>asList().withRandomAccess());
        pipeline.apply("Words", Create.of("a"))
                .apply("Read", ParDo.of(new Reads()).withSideInputs(view));
        StageGraph graph = Translation.translate(pipeline, 2);
        StageGraph.Stage stage = reader(graph);
        List<StageGraph.Edge> edges = graph.into(stage.index());
        StageGraph.Edge words = edges.stream()
                .filter(edge -> edge.exchange() instanceof Exchange.Forward)
                .findFirst()
                .orElseThrow();
        JobFiles files = JobFiles.open(
                ObjectStores.open("memory://waiting"),
                "job",
                1,
                "p",
                Retries.standard(VirtualTime.immediate(), new Random(1)));
        ByteStore.Opened opened = new HeapBackend(files, Runnable::run)
                .open("read[1]", KeyRange.of(1, 2), List.of())
                .join();
        TaskState state = TaskState.open(opened, TaskStateOptions.DEFAULT);
        TaskSpec spec = new TaskSpec(
                stage,
                1,
                KeyRange.of(1, 2),
                new Inbound(edges.size()),
                edges,
                List.of(),
                state,
                List.of(),
                1,
                1,
                true,
                null,
                null);
        SideInputDoor door = new SideInputDoor(spec, () -> {});

        WindowedValue<String> waiting =
                WindowedValues.of("hi", new Instant(5), GlobalWindow.INSTANCE, PaneInfo.NO_FIRING);
        door.add(waiting, words.index(), null, 0);
        List<Inbox.Item> inbox = state.inbox().all().next(1 << 20).join();
        assertThat(inbox.size(), is(1));
        assertThat("the first group of the task", inbox.get(0).group(), is(0x4000));
        String element = hex(inbox.get(0).element());
        assertThat(element.substring(0, 8), is("%08x".formatted(words.index())));
        // Beam's coder: timestamp with its sign bit flipped, number of windows, the global window (nothing), pane,
        // value.
        assertThat(
                element.substring(8),
                is("8000000000000005" + "00000001" + "0f"
                        + hex("hi".getBytes(java.nio.charset.StandardCharsets.UTF_8))));

        door.pane(new ViewPane(0, GlobalWindow.INSTANCE, 7, ViewPane.Small.NOTHING));
        List<Sources.Item> panes = state.sources().all().next(1 << 20).join();
        assertThat(panes.size(), is(1));
        String id = hex(stage.views().get(0).id().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        String prefix =
                hex("view:".getBytes(java.nio.charset.StandardCharsets.UTF_8)) + "%04x".formatted(id.length() / 2) + id;
        assertThat(hex(panes.get(0).splitId()), is(prefix));
        assertThat(hex(panes.get(0).position()), is("0000000000000007" + "00" + "00000000"));

        SideInputDoor restored = new SideInputDoor(spec, () -> {});
        restored.restore();
        assertThat(restored.waitingCount(), is(1L));
        assertThat(restored.isReady(waiting), is(true));
        List<WindowedValue<?>> letIn = new ArrayList<>();
        restored.poll(10, Long.MIN_VALUE, true, one -> letIn.add(one.value()));
        assertThat(letIn, equalTo(List.of(waiting)));
        assertThat(
                "what went in is stored no longer",
                state.inbox().all().next(1 << 20).join(),
                equalTo(List.of()));
    }

    // ---- docs/format/shared-run.md

    @Test
    void theEntriesOfALargePane() {
        byte[] a = {'a'};
        assertThat(hex(PaneLayout.keyEntry(a).key()), is("00" + "0001" + "61" + "0000000000000000"));
        assertThat(hex(PaneLayout.keyEntry(a).value()), is(""));
        ByteStore.Entry value = PaneLayout.entry(PaneLayout.valuesOf(a), 2, new byte[] {7});
        assertThat(hex(value.key()), is("01" + "0001" + "61" + "0000000000000002"));
        assertThat(hex(value.value()), is("07"));
        assertThat(hex(PaneLayout.entry(PaneLayout.ELEMENTS, 258, a).key()), is("0000000000000102"));

        byte[] longKey = new byte[1025];
        ByteStore.Entry digested = PaneLayout.keyEntry(longKey);
        assertThat(digested.key().length, is(1 + 2 + 32 + 8));
        assertThat(hex(digested.key()).substring(0, 6), is("00" + "ffff"));
        assertThat(PaneLayout.keyOf(digested), equalTo(longKey));
        assertThat(PaneLayout.keyOf(PaneLayout.keyEntry(a)), equalTo(a));
    }
}
