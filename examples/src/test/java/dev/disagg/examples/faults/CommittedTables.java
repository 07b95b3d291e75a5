// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import dev.disagg.state.lsm.Manifest;
import dev.disagg.state.lsm.ManifestTable;
import dev.disagg.ufs.Checkpoint;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.JobLog;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Retries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.StringAppendOperator;

/**
 * The tables that the newest checkpoint of a job names, as stock RocksDB sees them.
 *
 * @param tables how many there are
 * @param runs the most runs that one family of one task has
 */
record CommittedTables(int tables, int runs) {
    private static final String JOB_OWNER = "job";
    private static final int CHUNK_BYTES = 1 << 20;

    /**
     * Copies each table into a file of its own and has it verified; fails for the first that is refused. Empty when the job
     * has no checkpoint yet.
     */
    static Optional<CommittedTables> verify(String stateUri, String jobName, Path scratch)
            throws IOException, RocksDBException {
        RocksDB.loadLibrary();
        int tables = 0;
        Map<String, Set<Long>> runs = new HashMap<>();
        try (ObjectStore store = ObjectStores.open(stateUri);
                JobFiles files = JobFiles.reader(store, jobName, Retries.none())) {
            Optional<Checkpoint> newest = newest(store, jobName);
            if (newest.isEmpty()) {
                return Optional.empty();
            }
            for (Map.Entry<String, List<ObjectRange>> owner :
                    newest.get().owners().entrySet()) {
                if (owner.getKey().equals(JOB_OWNER)) {
                    continue;
                }
                OwnerRecord record = files.readOwner(owner.getValue()).join();
                for (ManifestTable table : Manifest.of(owner.getKey(), record).tables()) {
                    Path file = scratch.resolve("table-" + tables++ + ".sst");
                    copy(files, table.range(), file);
                    accept(owner.getKey() + " " + table.name() + " in " + table.range(), file, table);
                    Files.delete(file);
                    runs.computeIfAbsent(owner.getKey() + table.family(), key -> new HashSet<>())
                            .add(table.run());
                }
            }
        }
        return Optional.of(new CommittedTables(
                tables, runs.values().stream().mapToInt(Set::size).max().orElse(0)));
    }

    static Optional<Checkpoint> newest(ObjectStore store, String jobName) {
        return JobLog.open(store, jobName, Retries.none(), 1).state().newest();
    }

    private static void copy(JobFiles files, ObjectRange range, Path file) throws IOException {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long at = 0; at < range.length(); at += CHUNK_BYTES) {
                ByteBuffer chunk = files.read(range, at, (int) Math.min(CHUNK_BYTES, range.length() - at))
                        .join();
                while (chunk.hasRemaining()) {
                    out.write(chunk);
                }
            }
        }
    }

    private static void accept(String what, Path file, ManifestTable table) throws RocksDBException {
        try (StringAppendOperator merge = new StringAppendOperator("");
                Options options = new Options().setMergeOperator(merge);
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            reader.verifyChecksum();
            long entries = reader.getTableProperties().getNumEntries();
            if (entries != table.info().entries()) {
                throw new AssertionError(what + " has " + entries + " entries, its manifest says "
                        + table.info().entries());
            }
        } catch (RocksDBException e) {
            throw new AssertionError("RocksDB refuses " + what, e);
        }
    }
}
