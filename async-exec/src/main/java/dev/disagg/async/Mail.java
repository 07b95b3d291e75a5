// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/** What the {@link Mailbox} carries. The link belongs to the mailbox from post to take. */
abstract class Mail {
    @Nullable
    Mail nextMail;
}
