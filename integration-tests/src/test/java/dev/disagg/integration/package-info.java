// SPDX-License-Identifier: Apache-2.0
/** Programs and services that others wrote, as they are, with this runner: what is shared by the tests below. */
@NullMarked
package dev.disagg.integration;

import org.jspecify.annotations.NullMarked;
