// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Integers of fixed length, little-endian. */
final class Fixed {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Fixed() {}

    static int int32(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static long int64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void putInt32(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    static void putInt64(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }
}
