// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.memory.MemoryStore;

class MemoryStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() {
        return MemoryStore.create(() -> 1_000L);
    }

    @Override
    protected ObjectStore another(ObjectStore opened) {
        return ((MemoryStore) opened).another();
    }
}
