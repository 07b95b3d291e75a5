// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.BackendContext;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.StateBackend;
import dev.disagg.state.StateBackendProvider;

/** {@code --stateBackend=rocksdb}. */
public final class RocksProvider implements StateBackendProvider {
    @Override
    public String name() {
        return RocksBackend.NAME;
    }

    @Override
    public boolean opens(ManifestHeader.Format format) {
        return switch (format) {
            case TABLES, ROCKSDB -> true;
        };
    }

    @Override
    public StateBackend open(BackendContext context) {
        return new RocksBackend(context);
    }
}
