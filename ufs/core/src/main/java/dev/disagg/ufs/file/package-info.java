// SPDX-License-Identifier: Apache-2.0
/** A store in a directory of a POSIX file system. Knows nothing but the store's interface. */
@NullMarked
package dev.disagg.ufs.file;

import org.jspecify.annotations.NullMarked;
