// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

/**
 * A run of bytes inside one immutable object: what a logical file is made of.
 *
 * @param object name of the object, relative to the root of its {@link ObjectStore}
 * @param offset first byte, in bytes from the start of the object
 * @param length number of bytes
 */
public record ObjectRange(String object, long offset, long length) {
    public ObjectRange {
        if (object.isEmpty() || offset < 0 || length < 0) {
            throw new Invalid("not a range of an object: '" + object + "' offset " + offset + " length " + length);
        }
    }
}
