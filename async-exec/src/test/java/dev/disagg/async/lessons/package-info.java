// SPDX-License-Identifier: Apache-2.0
/** One test class per fault that another system of this kind shipped; the numbers are those of the list of lessons. */
@NullMarked
package dev.disagg.async.lessons;

import org.jspecify.annotations.NullMarked;
