// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/**
 * Which names an {@link ObjectStore} takes: segments of {@code [A-Za-z0-9._=-]} joined by single slashes, no segment
 * {@code .} or {@code ..}. All names are ASCII, so the order of Java strings is the order of their bytes.
 */
public final class ObjectNames {
    /** S3 allows 1024 bytes for a key; the rest is for the prefix that a store is opened under. */
    public static final int MAX_NAME_CHARS = 800;
    /** File systems allow 255 bytes. */
    public static final int MAX_SEGMENT_CHARS = 200;

    private ObjectNames() {}

    /** @throws Invalid unless {@code name} is a whole name */
    public static String check(String name) {
        String fault = fault(name);
        if (fault != null) {
            throw new Invalid("object name '" + name + "' " + fault
                    + "; names are segments of [A-Za-z0-9._=-] joined by single slashes");
        }
        return name;
    }

    /** @throws Invalid unless {@code prefix} is the start of some name; empty is */
    public static String checkPrefix(String prefix) {
        if (!prefix.isEmpty()) {
            check(prefix.endsWith("/") ? prefix + "x" : prefix.endsWith(".") ? prefix + "x" : prefix);
        }
        return prefix;
    }

    /** @throws Invalid unless {@code segment} is one segment */
    public static String checkSegment(String what, String segment) {
        if (segment.indexOf('/') >= 0 || fault(segment) != null) {
            throw new Invalid(what + " '" + segment + "' must be 1 to " + MAX_SEGMENT_CHARS
                    + " of the characters [A-Za-z0-9._=-], and neither . nor ..");
        }
        return segment;
    }

    /** Whether {@code name} is a whole name. */
    public static boolean isValid(String name) {
        return fault(name) == null;
    }

    private static @Nullable String fault(String name) {
        if (name.isEmpty()) {
            return "is empty";
        }
        if (name.length() > MAX_NAME_CHARS) {
            return "is longer than " + MAX_NAME_CHARS + " characters";
        }
        int start = 0;
        for (int i = 0; i <= name.length(); i++) {
            if (i < name.length() && name.charAt(i) != '/') {
                if (!allowed(name.charAt(i))) {
                    return "has the character '" + name.charAt(i) + "' at " + i;
                }
                continue;
            }
            int length = i - start;
            if (length == 0 || length > MAX_SEGMENT_CHARS) {
                return length == 0 ? "has an empty segment" : "has a segment over " + MAX_SEGMENT_CHARS + " characters";
            }
            if (name.charAt(start) == '.' && (length == 1 || length == 2 && name.charAt(start + 1) == '.')) {
                return "has a segment . or ..";
            }
            start = i + 1;
        }
        return null;
    }

    private static boolean allowed(char c) {
        return c >= 'a' && c <= 'z'
                || c >= 'A' && c <= 'Z'
                || c >= '0' && c <= '9'
                || c == '.'
                || c == '_'
                || c == '='
                || c == '-';
    }
}
