// SPDX-License-Identifier: Apache-2.0
/**
 * What every state backend must do, as tests that a backend's module extends: {@code ByteStoreContract} by name, {@code
 * StoreHistory} at random beside a model, {@code CrashContract} with a process that dies at every request. Knows no
 * backend.
 */
package dev.disagg.state.testkit;
