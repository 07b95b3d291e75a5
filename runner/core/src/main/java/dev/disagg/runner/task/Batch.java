// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** The elements of a message that are being taken, a few at a time. Leader only. */
final class Batch {
    private final Inbound inbound;
    private Message.@Nullable Elements elements;
    private int next;

    Batch(Inbound inbound) {
        this.inbound = inbound;
    }

    boolean isEmpty() {
        return elements == null;
    }

    /** Begins with a message; the one before must be over. */
    void begin(Message.Elements message) {
        elements = message;
        next = 0;
    }

    /** Hands over at most {@code most} elements with their channel; returns how many. */
    int take(int most, ObjIntConsumer<Object> into) {
        Message.Elements from = elements;
        if (from == null) {
            return 0;
        }
        List<?> items = from.items();
        int to = Math.min(items.size(), next + most);
        int taken = to - next;
        for (int i = next; i < to; i++) {
            into.accept(items.get(i), from.channel());
        }
        next = to;
        inbound.took(from.channel(), taken);
        if (to == items.size()) {
            elements = null;
        }
        return taken;
    }
}
