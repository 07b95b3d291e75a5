// SPDX-License-Identifier: Apache-2.0
/**
 * Asynchronous execution of keyed work: one computation in flight per key, the rest of the key first in, first out;
 * epochs between watermarks; and leadership hand-over, which lets a blocking read inside ordinary code wait without
 * holding up other keys.
 *
 * <p>{@link dev.disagg.async.AsyncTask} is the sequencer; {@link dev.disagg.async.Duty} is what its owner does. This
 * package knows nothing of pipelines, state stores or networks, and depends on nothing but the JDK.
 */
@NullMarked
package dev.disagg.async;

import org.jspecify.annotations.NullMarked;
