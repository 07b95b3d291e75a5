// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.net.URI;
import java.util.Set;

/**
 * Opens the stores of some URI schemes. Found by {@link java.util.ServiceLoader}; an implementation has a public
 * constructor without parameters.
 */
public interface ObjectStoreProvider {
    /** Lower-case schemes, for example {@code s3}. */
    Set<String> schemes();

    /**
     * Opens a store whose names are relative to {@code root}.
     *
     * @throws Invalid when the URI can never be opened; the message names it and the remedy, never a credential
     * @throws Unavailable when the store does not answer
     */
    ObjectStore open(URI root);
}
