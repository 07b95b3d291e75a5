// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.disagg.ufs.Await;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Unavailable;
import dev.disagg.ufs.file.FileStore;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest {
    @TempDir
    private Path directory;

    @Test
    void rootThatIsAFileIsInvalidAndNamesIt() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Invalid error = assertThrows(Invalid.class, () -> ObjectStores.open(file.toString()));
        assertThat(error.getMessage(), allOf(containsString(file.toString()), containsString("is not a directory")));
    }

    @Test
    void rootBelowAFileIsInvalidAndNamesIt() throws Exception {
        Path below = Files.createFile(directory.resolve("file")).resolve("root");
        Invalid error = assertThrows(Invalid.class, () -> ObjectStores.open(below.toString()));
        assertThat(error.getMessage(), containsString(below.toString()));
    }

    @Test
    void readOnlyRootIsInvalidAndNamesTheRemedy() throws Exception {
        Path root = Files.createDirectory(directory.resolve("read-only"));
        assumeFalse(!root.toFile().setWritable(false) || Files.isWritable(root), "this user may write everywhere");
        Invalid error = assertThrows(Invalid.class, () -> ObjectStores.open(root.toString()));
        root.toFile().setWritable(true);
        assertThat(error.getMessage(), allOf(containsString(root.toString()), containsString("permissions")));
    }

    @Test
    void rootThatCannotBeWrittenIsInvalidForEveryUser() {
        Invalid error = assertThrows(Invalid.class, () -> ObjectStores.open("file:///proc/disagg"));
        assertThat(error.getMessage(), containsString("/proc/disagg"));
    }

    @Test
    void fileUriOfAnotherHostIsInvalid() {
        assertThrows(Invalid.class, () -> ObjectStores.open("file://host/path"));
    }

    @Test
    void unknownSchemesNameTheArtifactToAdd() {
        assertThat(message("s3://bucket/x"), containsString("disagg-ufs-s3"));
        assertThat(message("oss://bucket/x"), containsString("disagg-ufs-s3"));
        assertThat(message("gs://bucket/x"), containsString("disagg-ufs-gcs"));
        assertThat(message("hdfs://host/x"), containsString("disagg-ufs-hdfs"));
        assertThat(message("ftp://host/x"), containsString("[file, memory]"));
    }

    @Test
    void secretsOfAUriAreNotInTheMessage() {
        assertThat(message("s3://user:hunter2@bucket/x?token=hunter2").contains("hunter2"), is(false));
    }

    private static String message(String uri) {
        return assertThrows(Invalid.class, () -> ObjectStores.open(uri)).getMessage();
    }

    @Test
    void temporaryFilesOfAProcessThatDiedAreInvisibleAndGoWhenADayOld() throws Exception {
        Path root = directory.resolve("root");
        Path temporaries = Files.createDirectories(root.resolve("~tmp"));
        Path fresh = Files.writeString(temporaries.resolve("1-1"), "torn");
        Path old = Files.writeString(temporaries.resolve("1-2"), "torn");
        Files.setLastModifiedTime(old, FileTime.fromMillis(1_000));
        try (ObjectStore store = ObjectStores.open(root.toString())) {
            assertThat(Await.get(store.list("", "", 10), "list"), is(empty()));
            assertThat(Files.exists(fresh), is(true));
            assertThat(Files.exists(old), is(false));
        }
    }

    @Test
    void nothingIsLeftOfAStoreWhoseObjectsWereDeleted() throws Exception {
        Path root = directory.resolve("root");
        try (ObjectStore store = ObjectStores.open(root.toString())) {
            Await.get(store.put("job/data/1", ByteBuffer.wrap(new byte[10])), "put");
            store.create("job/data/2").close();
            Await.get(store.delete(List.of("job/data/1")), "delete");
        }
        try (var left = Files.walk(root)) {
            assertThat(left.filter(path -> !path.equals(root)).toList(), is(empty()));
        }
    }

    @Test
    void filesOfOthersAreNeitherListedNorInTheWay() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Files.writeString(root.resolve("read me.txt"), "not ours");
        Files.createSymbolicLink(root.resolve("link"), directory);
        try (ObjectStore store = ObjectStores.open(root.toString())) {
            assertThat(Await.get(store.list("", "", 10), "list"), is(empty()));
        }
    }

    @Test
    void secondPutOfOtherBytesIsInvalidAndChangesNothing() throws Exception {
        try (ObjectStore store = ObjectStores.open(directory.toString())) {
            Await.get(store.put("a", ByteBuffer.wrap(new byte[] {1})), "put");
            assertThrows(Invalid.class, () -> Await.get(store.put("a", ByteBuffer.wrap(new byte[] {2})), "put"));
            assertThat(Await.get(store.read("a", 0, 1), "read").get(), is((byte) 1));
        }
    }

    @Test
    void fullPoolIsUnavailableNotLost() {
        try (ObjectStore store = FileStore.open(directory, task -> {
            throw new RejectedExecutionException("full");
        })) {
            assertThrows(Unavailable.class, () -> Await.get(store.size("a"), "size"));
        }
    }

    @Test
    void objectOfWhichAPartWasReadIsGoneOnceDeleted() throws Exception {
        try (ObjectStore store = ObjectStores.open(directory.toString())) {
            Await.get(store.put("x", ByteBuffer.wrap(new byte[] {1, 2, 3})), "put");
            assertThat(Await.get(store.read("x", 1, 1), "read").get(), is((byte) 2));
            Await.get(store.delete(List.of("x")), "delete");
            assertThrows(Invalid.class, () -> Await.get(store.read("x", 1, 1), "read"));

            Await.get(store.put("x", ByteBuffer.wrap(new byte[] {4, 5, 6})), "put again");
            assertThat(Await.get(store.read("x", 1, 1), "read").get(), is((byte) 5));
        }
    }

    @Test
    void partsOfMoreObjectsThanStayOpenAreAllRead() throws Exception {
        int objects = 200;
        try (ObjectStore store = ObjectStores.open(directory.toString())) {
            for (int i = 0; i < objects; i++) {
                Await.get(store.put("x" + i, ByteBuffer.wrap(new byte[] {0, (byte) i})), "put");
            }
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
                for (int i = 0; i < objects; i++) {
                    reads.add(store.read("x" + i, 1, 1));
                }
                for (int i = 0; i < objects; i++) {
                    assertThat(Await.get(reads.get(i), "read").get(), is((byte) i));
                }
            }
        }
    }

    @Test
    void readsThatNoThreadTakesAreUnavailable() throws Exception {
        List<Runnable> queued = new ArrayList<>();
        boolean[] refuses = {false};
        FileStore store = FileStore.open(directory, task -> {
            if (refuses[0]) {
                throw new RejectedExecutionException("ended");
            }
            queued.add(task);
        });
        CompletableFuture<ByteBuffer> first = store.read("x", 0, 1);
        refuses[0] = true;
        // Enough of them that another thread would join the first.
        List<CompletableFuture<ByteBuffer>> more = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            more.add(store.read("x", 0, 1));
        }
        queued.forEach(Runnable::run);
        assertThrows(Invalid.class, () -> Await.get(first, "read"));
        for (CompletableFuture<ByteBuffer> read : more) {
            assertThrows(Invalid.class, () -> Await.get(read, "read"));
        }

        assertThrows(Unavailable.class, () -> Await.get(store.read("x", 0, 1), "read"));
        refuses[0] = false;
        CompletableFuture<ByteBuffer> later = store.read("x", 0, 1);
        queued.get(queued.size() - 1).run();
        assertThrows(Invalid.class, () -> Await.get(later, "read"));
        store.close();
    }
}
