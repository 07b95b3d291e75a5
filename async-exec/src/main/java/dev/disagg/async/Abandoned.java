// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** Unwinds a thread that came back from user code after the task had gone on, or ended, without it. */
final class Abandoned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Abandoned(Worker worker) {
        super("worker " + worker + " was left behind by its task", null, false, false);
    }
}
