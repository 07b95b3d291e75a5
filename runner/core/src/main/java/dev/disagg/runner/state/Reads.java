// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** How a computation waits for a read: a task's door to its asynchronous execution. Leader only. */
public interface Reads {
    /** Waits for {@code read}, letting other computations of the task go on; throws its failure. */
    <T> T await(CompletableFuture<T> read);

    /**
     * Any thread: makes a read on the leader and waits for it. In a computation of the task this is {@link #await}; a thread
     * of another task, which was given something that reads when it is looked at, waits without letting others go on.
     */
    default <T> T anywhere(Supplier<CompletableFuture<T>> read) {
        return await(read.get());
    }

    /** Called before each read of user or system state; a test mode makes the read wait here. */
    void beforeRead();

    /** Called at each access to state or timers: throws when the task has failed, so that no write follows. */
    void check();
}
