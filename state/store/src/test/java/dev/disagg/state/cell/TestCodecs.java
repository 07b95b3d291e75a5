// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Codecs of an immutable type, of another one, and of a type that can be changed. */
final class TestCodecs {
    private TestCodecs() {}

    static final class Strings implements CellCodec<String> {
        int encodes;

        @Override
        public void encode(String value, OutputStream out) throws IOException {
            encodes++;
            out.write(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String decode(InputStream in) throws IOException {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }

        @Override
        public boolean immutable() {
            return true;
        }
    }

    static final CellCodec<Long> LONG = new CellCodec<>() {
        @Override
        public void encode(Long value, OutputStream out) throws IOException {
            new DataOutputStream(out).writeLong(value);
        }

        @Override
        public Long decode(InputStream in) throws IOException {
            return new DataInputStream(in).readLong();
        }

        @Override
        public boolean immutable() {
            return true;
        }
    };

    static final CellCodec<List<Integer>> LIST = new CellCodec<>() {
        @Override
        public void encode(List<Integer> value, OutputStream out) throws IOException {
            DataOutputStream data = new DataOutputStream(out);
            for (int each : value) {
                data.writeInt(each);
            }
        }

        @Override
        public List<Integer> decode(InputStream in) throws IOException {
            DataInputStream data = new DataInputStream(in);
            List<Integer> value = new ArrayList<>();
            while (data.available() > 0) {
                value.add(data.readInt());
            }
            return value;
        }

        @Override
        public boolean immutable() {
            return false;
        }
    };

    static List<Integer> concat(List<Integer> a, List<Integer> b) {
        a.addAll(b);
        return a;
    }
}
