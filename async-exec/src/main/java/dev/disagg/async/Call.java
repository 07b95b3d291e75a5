// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** A call that another thread makes through the mailbox. */
final class Call extends Mail {
    final Runnable body;

    Call(Runnable body) {
        this.body = body;
    }
}
