// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

/**
 * Where a process is to be killed.
 *
 * @param nth which occurrence, from 1; for {@link Kind#MOMENT} milliseconds from the first request
 */
record FatalPoint(Kind kind, int nth) {
    /** The system property that brings a point to the process. */
    static final String PROPERTY = "disagg.test.fatal";
    /** The system property that names the file to which the process writes what it saw just before its end. */
    static final String EVIDENCE = "disagg.test.fatal.evidence";

    enum Kind {
        /** Half of the bytes of the n-th data object are written: a flush, or a checkpoint's pack. */
        UPLOAD,
        /** All data of the n-th checkpoint is written, its record is not. */
        BEFORE_COMMIT,
        /** The record of the n-th checkpoint is written, and nobody was told. */
        AFTER_COMMIT,
        /** Half of the objects of the n-th delete call of the sweep are deleted. */
        EXPIRY,
        /** At the n-th data read, or the first after it at which bodies of user code are parked. */
        PARKED,
        /** At this time. */
        MOMENT
    }

    static FatalPoint parse(String text) {
        int colon = text.indexOf(':');
        return new FatalPoint(Kind.valueOf(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return kind + ":" + nth;
    }
}
