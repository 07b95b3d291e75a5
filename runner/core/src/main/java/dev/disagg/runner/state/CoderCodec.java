// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.CellCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import org.apache.beam.sdk.coders.BigDecimalCoder;
import org.apache.beam.sdk.coders.BigEndianIntegerCoder;
import org.apache.beam.sdk.coders.BigEndianLongCoder;
import org.apache.beam.sdk.coders.BigIntegerCoder;
import org.apache.beam.sdk.coders.BooleanCoder;
import org.apache.beam.sdk.coders.ByteCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.DoubleCoder;
import org.apache.beam.sdk.coders.DurationCoder;
import org.apache.beam.sdk.coders.FloatCoder;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.TextualIntegerCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.coders.VoidCoder;
import org.apache.beam.sdk.util.VarInt;

/**
 * A Beam coder as a codec of cells. Only values of types that nobody can change are shared with user code.
 *
 * @param <T> type of the values
 */
final class CoderCodec<T> implements CellCodec<T> {
    private static final Set<Class<?>> IMMUTABLE_VALUES = Set.of(
            BigDecimalCoder.class,
            BigEndianIntegerCoder.class,
            BigEndianLongCoder.class,
            BigIntegerCoder.class,
            BooleanCoder.class,
            ByteCoder.class,
            DoubleCoder.class,
            DurationCoder.class,
            FloatCoder.class,
            InstantCoder.class,
            StringUtf8Coder.class,
            TextualIntegerCoder.class,
            VarIntCoder.class,
            VarLongCoder.class,
            VoidCoder.class);

    private final Coder<T> coder;
    private final boolean immutable;

    private CoderCodec(Coder<T> coder, boolean immutable) {
        this.coder = coder;
        this.immutable = immutable;
    }

    static <T> CoderCodec<T> of(Coder<T> coder) {
        return new CoderCodec<>(coder, IMMUTABLE_VALUES.contains(coder.getClass()));
    }

    static boolean isImmutable(Coder<?> coder) {
        return IMMUTABLE_VALUES.contains(coder.getClass());
    }

    @Override
    public void encode(T value, OutputStream out) throws IOException {
        coder.encode(value, out, Coder.Context.OUTER);
    }

    @Override
    public T decode(InputStream in) throws IOException {
        return coder.decode(in, Coder.Context.OUTER);
    }

    @Override
    public boolean immutable() {
        return immutable;
    }

    /** The value as bytes of its own. */
    byte[] bytes(T value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(32);
        try {
            encode(value, out);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the coder " + coder + " can not encode a value of " + describe(value) + ": " + e.getMessage(), e);
        }
        return out.toByteArray();
    }

    T value(byte[] bytes) {
        try {
            return decode(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the coder " + coder + " can not decode " + bytes.length + " bytes: " + e.getMessage(), e);
        }
    }

    /** Appends {@code value} with its length in front. */
    void append(T value, ByteArrayOutputStream out) {
        byte[] bytes = bytes(value);
        try {
            VarInt.encode(bytes.length, out);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        out.write(bytes, 0, bytes.length);
    }

    private static String describe(Object value) {
        return value == null ? "null" : value.getClass().getName();
    }
}
