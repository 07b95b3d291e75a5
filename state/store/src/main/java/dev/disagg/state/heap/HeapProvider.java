// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.BackendContext;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.StateBackend;
import dev.disagg.state.StateBackendProvider;

/** {@code --stateBackend=heap}. Half of the memory is for blocks of shared runs; state itself is not bounded by it. */
public final class HeapProvider implements StateBackendProvider {
    @Override
    public String name() {
        return "heap";
    }

    @Override
    public boolean opens(ManifestHeader.Format format) {
        return format == ManifestHeader.Format.TABLES;
    }

    @Override
    public StateBackend open(BackendContext context) {
        return new HeapBackend(context.files(), context.background(), context.memoryBytes() / 2);
    }
}
