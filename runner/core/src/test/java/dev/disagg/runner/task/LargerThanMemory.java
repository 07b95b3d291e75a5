// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.View;
import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.SystemThreads;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.stream.LongStream;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.PCollectionViews.ValueOrMetadata;

/**
 * A process with little memory that writes and reads a side input which does not fit into it: {@code directory backend form
 * megabytes}. Prints {@code right} at the end.
 */
final class LargerThanMemory {
    private static final int TEXT = 1000;

    private LargerThanMemory() {}

    /** A key of about a kilobyte: what makes it large is the key in all forms. */
    private static String key(long number) {
        byte[] key = new byte[TEXT];
        long random = number;
        for (int i = 0; i < TEXT; i += Long.BYTES) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            for (int at = 0; at < Long.BYTES; at++) {
                key[i + at] = (byte) ('a' + (random >>> (8 * at + 3) & 15));
            }
        }
        return number + "-" + new String(key, StandardCharsets.ISO_8859_1);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static PTransform<PCollection<KV<String, Long>>, PCollectionView<?>> form(String form) {
        return (PTransform)
                switch (form) {
                    case "iterable" -> org.apache.beam.sdk.transforms.View.asIterable();
                    case "list" -> org.apache.beam.sdk.transforms.View.asList();
                    default -> org.apache.beam.sdk.transforms.View.asMultimap();
                };
    }

    /** A list is a multimap by position, with what Beam knows of the positions behind its values. */
    private static Object element(String form, long number, long elements) {
        if (!form.equals("list")) {
            return KV.of(key(number), number);
        }
        return number == elements
                ? KV.of(Long.MIN_VALUE, ValueOrMetadata.createMetadata(new OffsetRange(0, elements)))
                : KV.of(number, ValueOrMetadata.create(KV.of(key(number), number)));
    }

    public static void main(String[] arguments) {
        String form = arguments[2];
        long elements = Long.parseLong(arguments[3]) * 1000;
        ExecutorService background = SystemThreads.pool("background", 2, 100);
        try (ObjectStore objects =
                ObjectStores.open(Path.of(arguments[0]).toUri().toString())) {
            JobFiles files = JobFiles.open(
                    objects, "job", 1, "p", Retries.standard(SystemThreads.scheduler("timer"), new Random(1)));
            StateBackend backend = arguments[1].equals("heap")
                    ? new HeapBackend(files, background, 4 << 20)
                    : new LsmBackend(files, LsmOptions.ofStateMemory(8 << 20), background);
            DoorBench bench = new DoorBench(DoorBench.store(backend), form(form), 0);
            View view = bench.view;
            Iterable<?> given = () -> LongStream.rangeClosed(0, form.equals("list") ? elements : elements - 1)
                    .<Object>mapToObj(number -> element(form, number, elements))
                    .iterator();
            ViewPane.Content content =
                    new PaneWriter(view, backend.sharedRuns(), 1 << 20).write(given, false, DoorBench.JOINED);
            SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
            door.pane(new ViewPane(0, DoorBench.window(0), 0, content));
            Object value = door.reader(DoorBench.JOINED).get(view.view(), DoorBench.window(0));
            check(value, elements);
            System.out.println("right, heap " + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB");
        } finally {
            background.shutdown();
        }
        System.exit(0);
    }

    @SuppressWarnings("unchecked")
    private static void check(Object value, long elements) {
        Random random = new Random(3);
        if (value instanceof Map) {
            Map<String, Iterable<Long>> map = (Map<String, Iterable<Long>>) value;
            for (int i = 0; i < 500; i++) {
                long number = (long) (random.nextDouble() * elements);
                Iterator<Long> found = map.get(key(number)).iterator();
                require(found.next() == number && !found.hasNext(), "key " + number);
            }
            require(map.get("none") == null, "a key that is not there");
            return;
        }
        long next = 0;
        for (KV<String, Long> each : (Iterable<KV<String, Long>>) value) {
            require(each.getValue() == next && (next % 1000 > 0 || each.getKey().equals(key(next))), "element " + next);
            next++;
        }
        require(next == elements, next + " elements");
        if (value instanceof List) {
            List<KV<String, Long>> list = (List<KV<String, Long>>) value;
            for (int i = 0; i < 20; i++) {
                int index = (int) (random.nextDouble() * elements);
                require(list.get(index).getValue() == index, "index " + index);
            }
        }
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException("wrong: " + what);
        }
    }
}
