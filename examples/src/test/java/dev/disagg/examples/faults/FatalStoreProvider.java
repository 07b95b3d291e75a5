// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStoreProvider;
import dev.disagg.ufs.file.FileStoreProvider;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;

/** {@code fatal+file:///path}: the files of {@code file:///path}, and the death of the process at a {@link FatalPoint}. */
public final class FatalStoreProvider implements ObjectStoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("fatal+file");
    }

    @Override
    public ObjectStore open(URI root) {
        ObjectStore files = new FileStoreProvider().open(URI.create("file://" + root.getRawPath()));
        String point = System.getProperty(FatalPoint.PROPERTY);
        return point == null
                ? files
                : new FatalStore(files, FatalPoint.parse(point), Path.of(System.getProperty(FatalPoint.EVIDENCE)));
    }
}
