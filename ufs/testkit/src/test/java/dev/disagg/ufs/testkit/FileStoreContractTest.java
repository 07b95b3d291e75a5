// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileStoreContractTest extends ObjectStoreContract {
    @TempDir
    private Path directory;

    private Path root;

    @Override
    protected ObjectStore open() throws Exception {
        root = Files.createTempDirectory(directory, "store");
        return ObjectStores.open(root.toUri().toString());
    }

    @Override
    protected ObjectStore another(ObjectStore opened) {
        return ObjectStores.open(root.toString());
    }
}
