// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.LatencyStore;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.memory.MemoryStore;
import java.time.Duration;

class DecoratedMemoryStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() {
        return new LatencyStore(
                new CountingStore(MemoryStore.create(() -> 1_000L)),
                VirtualTime.immediate(),
                Duration.ofMillis(23),
                250_000_000);
    }
}
