// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The input of one task: messages of all its channels in order of arrival, with a bound on the elements of each channel.
 * {@link #offer} and {@link #hasRoom} are for producers on any thread; all else is the leader's. A channel is blocked
 * between its barrier and the task's snapshot: what it brings meanwhile is set aside, and counts against its bound only.
 */
public final class Inbound {
    /** Elements of one channel that may be queued before its producer should pause. */
    static final int CHANNEL_ELEMENTS = 4096;

    private final Queue<Message> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicIntegerArray queued;
    private final AtomicReferenceArray<@Nullable Runnable> paused;
    private final boolean[] blocked;
    private final ArrayDeque<Message> aside = new ArrayDeque<>();
    private final ArrayDeque<Message> replay = new ArrayDeque<>();
    private volatile Runnable wake = () -> {};
    private volatile Activity activity = new Activity(false);

    public Inbound(int channels) {
        queued = new AtomicIntegerArray(channels);
        paused = new AtomicReferenceArray<>(channels);
        blocked = new boolean[channels];
    }

    public int channels() {
        return blocked.length;
    }

    /** What to call when input has come, and where a message counts from when it is sent. */
    void onInput(Runnable newWake, Activity newActivity) {
        wake = newWake;
        activity = newActivity;
    }

    /** Adds a message; never refuses. */
    public void offer(Message message) {
        add(message);
        wake.run();
    }

    /** Adds two messages that the task sees together: it is woken when both are there. */
    void offer(Message first, Message second) {
        add(first);
        add(second);
        wake.run();
    }

    private void add(Message message) {
        activity.begin();
        if (message instanceof Message.Elements elements) {
            queued.addAndGet(message.channel(), elements.items().size());
        }
        arrived.add(message);
    }

    /**
     * Whether the producer of {@code channel} should go on. If not, {@code whenRoom} is called once, on the consumer's
     * thread, when it should.
     */
    boolean hasRoom(int channel, Runnable whenRoom) {
        if (queued.get(channel) < CHANNEL_ELEMENTS) {
            return true;
        }
        paused.set(channel, whenRoom);
        // The consumer may have made room between the two looks.
        return queued.get(channel) < CHANNEL_ELEMENTS;
    }

    /** The next message of a channel that is not blocked; null when there is none. */
    @Nullable
    Message poll() {
        Message message;
        while ((message = replay.poll()) != null || (message = arrived.poll()) != null) {
            if (blocked[message.channel()]) {
                aside.add(message);
            } else {
                return message;
            }
        }
        return null;
    }

    /** This many elements of the channel have been taken over. */
    void took(int channel, int count) {
        int left = queued.addAndGet(channel, -count);
        if (left < CHANNEL_ELEMENTS / 2) {
            Runnable producer = paused.getAndSet(channel, null);
            if (producer != null) {
                producer.run();
            }
        }
    }

    void block(int channel) {
        blocked[channel] = true;
    }

    /** Lets all channels go on; what was set aside comes first. */
    void unblockAll() {
        java.util.Arrays.fill(blocked, false);
        aside.addAll(replay);
        replay.clear();
        replay.addAll(aside);
        aside.clear();
    }

    /** Whether nothing waits. Exact only when no producer is active. */
    boolean isEmpty() {
        return replay.isEmpty() && aside.isEmpty() && arrived.isEmpty();
    }
}
