// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.util.VarInt;

/** Several values in one stored value: each with its length, as a varint, in front. */
final class Lists {
    private Lists() {}

    static <T> byte[] encode(List<T> values, CoderCodec<T> codec) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        values.forEach(value -> codec.append(value, out));
        return out.toByteArray();
    }

    static <T> List<T> decode(byte[] stored, CoderCodec<T> codec) {
        List<T> values = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(stored);
        try {
            while (in.available() > 0) {
                values.add(codec.value(in.readNBytes(VarInt.decodeInt(in))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return values;
    }
}
