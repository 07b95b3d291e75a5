// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.BackendContext;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.StateBackend;
import dev.disagg.state.StateBackendProvider;

/** {@code --stateBackend=disagg}, with compactions in this process. */
public final class LsmProvider implements StateBackendProvider {
    @Override
    public String name() {
        return "disagg";
    }

    @Override
    public boolean opens(ManifestHeader.Format format) {
        return format == ManifestHeader.Format.TABLES;
    }

    @Override
    public StateBackend open(BackendContext context) {
        return new LsmBackend(
                context.files(),
                LsmOptions.ofStateMemory(context.memoryBytes()),
                context.background(),
                cache -> new LocalCompaction(context.files(), cache, context.compactions()));
    }
}
