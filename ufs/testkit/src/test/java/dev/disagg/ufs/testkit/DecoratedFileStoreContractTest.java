// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.LatencyStore;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.SystemThreads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/** Real time, so that requests truly overlap; short enough not to be felt. */
class DecoratedFileStoreContractTest extends ObjectStoreContract {
    @TempDir
    private Path directory;

    @Override
    protected ObjectStore open() throws Exception {
        ObjectStore files =
                ObjectStores.open(Files.createTempDirectory(directory, "store").toString());
        return new CountingStore(
                new LatencyStore(files, SystemThreads.scheduler("test-latency"), Duration.ofNanos(200_000), 1L << 31));
    }
}
