// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.concurrent.CompletableFuture;

/** How a computation waits for a read: a task's door to its asynchronous execution. Leader only. */
public interface Reads {
    /** Waits for {@code read}, letting other computations of the task go on; throws its failure. */
    <T> T await(CompletableFuture<T> read);

    /** Called before each read of user or system state; a test mode makes the read wait here. */
    void beforeRead();

    /** Called at each access to state or timers: throws when the task has failed, so that no write follows. */
    void check();
}
