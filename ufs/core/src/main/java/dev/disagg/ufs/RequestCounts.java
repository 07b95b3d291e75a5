// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

/**
 * Requests made to a store, by kind, and bytes moved.
 *
 * @param puts whole objects written
 * @param conditionalPuts put-if-absent calls
 * @param streamedPuts objects begun with {@link ObjectStore#create}
 * @param reads ranged reads
 * @param sizes size queries
 * @param lists pages listed
 * @param deletes delete calls (each for many objects)
 * @param objectsDeleted names in those calls
 * @param bytesWritten bytes handed to puts and writers
 * @param bytesRead bytes that reads returned
 */
public record RequestCounts(
        long puts,
        long conditionalPuts,
        long streamedPuts,
        long reads,
        long sizes,
        long lists,
        long deletes,
        long objectsDeleted,
        long bytesWritten,
        long bytesRead) {

    /** What happened since {@code earlier}. */
    public RequestCounts minus(RequestCounts earlier) {
        return new RequestCounts(
                puts - earlier.puts,
                conditionalPuts - earlier.conditionalPuts,
                streamedPuts - earlier.streamedPuts,
                reads - earlier.reads,
                sizes - earlier.sizes,
                lists - earlier.lists,
                deletes - earlier.deletes,
                objectsDeleted - earlier.objectsDeleted,
                bytesWritten - earlier.bytesWritten,
                bytesRead - earlier.bytesRead);
    }

    /** Requests that write an object. */
    public long writes() {
        return puts + conditionalPuts + streamedPuts;
    }

    /** All requests. */
    public long total() {
        return writes() + reads + sizes + lists + deletes;
    }

    /**
     * What the requests cost at a store's price list, in dollars. Stores commonly price writes and lists alike, reads
     * and size queries alike, and deletes at nothing.
     */
    public double dollars(double perThousandWrites, double perThousandReads) {
        return ((writes() + lists) * perThousandWrites + (reads + sizes) * perThousandReads) / 1000;
    }
}
