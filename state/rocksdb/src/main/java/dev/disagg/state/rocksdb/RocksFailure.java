// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** What went wrong in RocksDB or on the local disk, as the kinds that callers know. */
final class RocksFailure {
    /** The operating system's words, in which both RocksDB and the JDK pass it on. */
    private static final String DISK_FULL = "No space left on device";

    private static final String TOO_MANY_FILES = "Too many open files";

    private RocksFailure() {}

    /**
     * @param what was tried, and for whom
     * @param directory on the local disk
     */
    static DisaggException of(String what, Path directory, RocksDBException failure) {
        Status status = failure.getStatus();
        if (status != null && status.getCode() == Status.Code.Corruption) {
            return new Corrupt(
                    what + ": RocksDB finds damage in " + directory + ": " + failure.getMessage()
                            + "; start again with --restore=auto, and check this machine's disk",
                    failure);
        }
        boolean full = status != null && status.getSubCode() == Status.SubCode.NoSpace;
        return local(what, directory, failure, full);
    }

    static DisaggException of(String what, Path directory, IOException failure) {
        return local(what, directory, failure, false);
    }

    private static DisaggException local(String what, Path directory, Exception failure, boolean full) {
        String said = String.valueOf(failure.getMessage());
        return new Failed(what + ": " + remedy(directory, said, full), failure);
    }

    private static String remedy(Path directory, String said, boolean full) {
        if (full || said.contains(DISK_FULL)) {
            return "the disk of " + directory + " is full; make room there, or give --stateCacheDir=<a directory on a"
                    + " disk with room for the whole state>, and start again with --restore=auto";
        }
        if (said.contains(TOO_MANY_FILES)) {
            return "this process may not open more files than it has, in " + directory
                    + "; raise the limit (ulimit -n), and start again with --restore=auto";
        }
        return "RocksDB in " + directory + ": " + said
                + "; give another directory with --stateCacheDir, and start again with --restore=auto";
    }

    /** @param failure of loading the native library */
    static Failed noLibrary(Throwable failure, @Nullable String system, @Nullable String machine) {
        return new Failed(
                "--stateBackend=rocksdb: RocksDB's native library can not be loaded on " + system + " " + machine + ": "
                        + failure.getMessage()
                        + "; it is unpacked to java.io.tmpdir, which must allow execution (or set"
                        + " the variable ROCKSDB_SHAREDLIB_DIR to a directory that does); where there is no library for"
                        + " the machine use --stateBackend=disagg",
                failure);
    }
}
