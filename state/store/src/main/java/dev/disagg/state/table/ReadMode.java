// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/** How a cursor uses the cache. */
enum ReadMode {
    /** Uses what is there and adds what it reads. */
    FILL,
    /** Uses what is there, leaves no trace. */
    PASS_BY,
    /** Reads everything from the source. */
    IGNORE
}
