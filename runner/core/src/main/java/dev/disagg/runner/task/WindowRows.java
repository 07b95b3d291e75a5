// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/** Finds the row of (key, window); remembers how the last window is encoded. One owner. */
final class WindowRows {
    private final Coder<BoundedWindow> coder;
    private @Nullable BoundedWindow lastWindow;
    private byte[] lastBytes = new byte[0];

    WindowRows(Coder<BoundedWindow> coder) {
        this.coder = coder;
    }

    Row row(KeyEntry entry, BoundedWindow window) {
        if (!window.equals(lastWindow)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(16);
            try {
                coder.encode(window, out, Coder.Context.OUTER);
            } catch (IOException e) {
                throw new UncheckedIOException("the window " + window + " can not be encoded by " + coder, e);
            }
            lastBytes = out.toByteArray();
            lastWindow = window;
        }
        return entry.row(window.maxTimestamp().getMillis(), lastBytes);
    }
}
