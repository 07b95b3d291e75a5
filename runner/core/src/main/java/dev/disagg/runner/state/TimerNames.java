// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.Timer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.CausedByDrain;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The stored identity of a timer: {@code [domain 1][namespace kind 1][family, timer id: UTF-8 with a 16-bit length]} and,
 * by kind, {@code [trigger index 4][window]}. The time domain comes first, so that timers of equal time fire in the order
 * of their names.
 */
final class TimerNames {
    private static final byte GLOBAL = 0;
    private static final byte WINDOW = 1;
    private static final byte WINDOW_AND_TRIGGER = 2;

    private final StepState state;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    private final DataOutputStream out = new DataOutputStream(bytes);

    TimerNames(StepState state) {
        this.state = state;
    }

    byte[] id(StateNamespace namespace, String timerId, String familyId, TimeDomain domain) {
        bytes.reset();
        try {
            out.writeByte(code(domain));
            if (namespace instanceof StateNamespaces.WindowNamespace<?> inWindow) {
                out.writeByte(WINDOW);
                out.writeUTF(familyId);
                out.writeUTF(timerId);
                out.write(state.windowBytes(inWindow.getWindow()));
            } else if (namespace instanceof StateNamespaces.WindowAndTriggerNamespace<?> inTrigger) {
                out.writeByte(WINDOW_AND_TRIGGER);
                out.writeUTF(familyId);
                out.writeUTF(timerId);
                out.writeInt(inTrigger.getTriggerIndex());
                out.write(state.windowBytes(inTrigger.getWindow()));
            } else {
                out.writeByte(GLOBAL);
                out.writeUTF(familyId);
                out.writeUTF(timerId);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    TimerData data(Timer timer, CausedByDrain causedByDrain) {
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(timer.id()));
            TimeDomain domain = domain(in.readByte());
            byte kind = in.readByte();
            String family = in.readUTF();
            String id = in.readUTF();
            StateNamespace namespace;
            if (kind == GLOBAL) {
                namespace = StateNamespaces.global();
            } else {
                int trigger = kind == WINDOW_AND_TRIGGER ? in.readInt() : -1;
                BoundedWindow window = state.windowCoder().decode(in, Coder.Context.OUTER);
                namespace = kind == WINDOW
                        ? StateNamespaces.window(state.windowCoder(), window)
                        : StateNamespaces.windowAndTrigger(state.windowCoder(), window, trigger);
            }
            return TimerData.of(
                    id,
                    family,
                    namespace,
                    new Instant(timer.timestampMillis()),
                    new Instant(timer.outputTimestampMillis()),
                    domain,
                    causedByDrain);
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    /** The window of a timer's namespace; null for the global one. */
    static @Nullable BoundedWindow window(byte[] id, Coder<BoundedWindow> coder) {
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(id));
            in.skipNBytes(1);
            byte kind = in.readByte();
            in.skipNBytes(in.readUnsignedShort());
            in.skipNBytes(in.readUnsignedShort());
            if (kind == GLOBAL) {
                return null;
            }
            in.skipNBytes(kind == WINDOW_AND_TRIGGER ? 4 : 0);
            return coder.decode(in, Coder.Context.OUTER);
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    private static UncheckedIOException damaged(IOException e) {
        return new UncheckedIOException("the stored name of a timer is damaged: " + e.getMessage(), e);
    }

    private static int code(TimeDomain domain) {
        return switch (domain) {
            case EVENT_TIME -> 0;
            case PROCESSING_TIME -> 1;
            case SYNCHRONIZED_PROCESSING_TIME -> 2;
        };
    }

    private static TimeDomain domain(byte code) {
        return switch (code) {
            case 0 -> TimeDomain.EVENT_TIME;
            case 1 -> TimeDomain.PROCESSING_TIME;
            case 2 -> TimeDomain.SYNCHRONIZED_PROCESSING_TIME;
            default -> throw new IllegalStateException("unknown time domain " + code + " in the name of a timer");
        };
    }
}
