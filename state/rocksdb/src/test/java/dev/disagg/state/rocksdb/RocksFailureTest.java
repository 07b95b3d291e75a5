// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.instanceOf;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

class RocksFailureTest {
    private static final Path PLACE = Path.of("/disk/state");

    private static DisaggException of(Status.Code code, Status.SubCode subCode, String state) {
        return RocksFailure.of("a write of t", PLACE, new RocksDBException(new Status(code, subCode, state)));
    }

    @Test
    void aFullDiskIsNamedWithItsRemedy() {
        for (DisaggException full : new DisaggException[] {
            of(Status.Code.IOError, Status.SubCode.NoSpace, "While appending"),
            of(Status.Code.IOError, Status.SubCode.None, "While appending: No space left on device"),
            RocksFailure.of("a checkpoint of t", PLACE, new IOException("No space left on device"))
        }) {
            assertThat(full, instanceOf(Failed.class));
            assertThat(
                    full.getMessage(),
                    allOf(
                            containsString("the disk of /disk/state is full"),
                            containsString("of t"),
                            containsString("--stateCacheDir")));
        }
    }

    @Test
    void damageIsCorrupt() {
        assertThat(
                of(Status.Code.Corruption, Status.SubCode.None, "block checksum mismatch"), instanceOf(Corrupt.class));
    }

    @Test
    void tooManyOpenFilesAreToldWithTheLimit() {
        DisaggException failed = of(Status.Code.IOError, Status.SubCode.None, "000012.sst: Too many open files");
        assertThat(failed.getMessage(), containsString("ulimit -n"));
    }
}
