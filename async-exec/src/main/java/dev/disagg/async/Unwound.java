// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** A worker that the watchdog resumed apart from the leader has left its computation and can be a spare. */
final class Unwound extends Mail {
    final Worker worker;

    Unwound(Worker worker) {
        this.worker = worker;
    }
}
