// SPDX-License-Identifier: Apache-2.0
/**
 * Faults that other systems shipped, as tests named after the behaviour: what the cells of a task have to do with them.
 */
package dev.disagg.state.lessons;
