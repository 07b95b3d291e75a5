// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

/**
 * A logical file of an owner.
 *
 * @param name unique within its owner; short (it is stored in every base)
 * @param range where its bytes are
 * @param attributes opaque to this module, about 100 bytes; never modified after construction
 */
public record Link(String name, ObjectRange range, byte[] attributes) {}
