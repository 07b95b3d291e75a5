// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.Timer;
import java.util.Arrays;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/** Says which windows timers are of; remembers the last, since many are of one. One owner. */
public final class TimerWindows {
    private final Coder<BoundedWindow> coder;
    private byte[] lastId = new byte[0];
    private @Nullable BoundedWindow last;

    public TimerWindows(Coder<BoundedWindow> coder) {
        this.coder = coder;
    }

    /** The window of the timer's namespace; null for one without. */
    public @Nullable BoundedWindow of(Timer timer) {
        if (!Arrays.equals(timer.id(), lastId)) {
            last = TimerNames.window(timer.id(), coder);
            lastId = timer.id();
        }
        return last;
    }
}
