// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStoreProvider;
import dev.disagg.ufs.SystemThreads;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;

/** {@code file:///path}. */
public final class FileStoreProvider implements ObjectStoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("file");
    }

    @Override
    public ObjectStore open(URI root) {
        String host = root.getRawAuthority();
        if (root.getPath() == null || !root.getPath().startsWith("/") || host != null && !host.isEmpty()) {
            throw new Invalid("not a file URI with an absolute path: file:///path is one");
        }
        return FileStore.open(Path.of(root.getPath()), SystemThreads.sharedIo());
    }
}
