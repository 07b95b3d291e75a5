// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

/**
 * Opens one kind of state backend. Found by {@link java.util.ServiceLoader}; an implementation has a public constructor
 * without parameters, and loads nothing heavy before {@link #open}.
 */
public interface StateBackendProvider {
    /** The name that the option {@code --stateBackend} selects it by: small letters. */
    String name();

    /** Whether it opens manifests of this format. */
    boolean opens(ManifestHeader.Format format);

    /**
     * Opens a backend, which the caller closes.
     *
     * @throws dev.disagg.ufs.Failed when this machine lacks what the backend needs; says what to do
     */
    StateBackend open(BackendContext context);
}
