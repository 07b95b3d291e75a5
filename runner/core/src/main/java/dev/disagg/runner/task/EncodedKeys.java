// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CustomCoder;

/**
 * A key coder by which keys are equal when their encodings are, as they are in a store. Their own equality may ask for
 * more: that of rows asks for the names of their fields, which an encoded key does not have.
 */
final class EncodedKeys<K> extends CustomCoder<K> {
    private static final long serialVersionUID = 1L;

    private final Coder<K> coder;

    private EncodedKeys(Coder<K> coder) {
        this.coder = coder;
    }

    /** {@code coder} itself when it may encode equal keys differently. */
    static <K> Coder<K> of(Coder<K> coder) {
        try {
            coder.verifyDeterministic();
        } catch (NonDeterministicException e) {
            return coder;
        }
        return new EncodedKeys<>(coder);
    }

    @Override
    public void encode(K key, OutputStream out) throws IOException {
        coder.encode(key, out);
    }

    @Override
    public K decode(InputStream in) throws IOException {
        return coder.decode(in);
    }

    @Override
    public boolean consistentWithEquals() {
        return false;
    }
}
