// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.memory;

import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStoreProvider;
import dev.disagg.ufs.SystemThreads;
import java.net.URI;
import java.util.Set;

/** {@code memory://name}: one store per name and process. */
public final class MemoryStoreProvider implements ObjectStoreProvider {
    private static final String PREFIX = "//";

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public ObjectStore open(URI root) {
        String place = root.getRawSchemeSpecificPart();
        if (!place.startsWith(PREFIX) || place.length() == PREFIX.length()) {
            throw new Invalid("a memory store needs a name: memory://name");
        }
        return MemoryStore.named(place.substring(PREFIX.length()), SystemThreads.wallMillis());
    }
}
