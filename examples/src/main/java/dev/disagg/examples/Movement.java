// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.AtomicCoder;

/** A flight as one of its two airports sees it: an arrival there, or a departure from there. */
record Movement(boolean arrival, Flight flight) {

    static final class MovementCoder extends AtomicCoder<Movement> {
        static final MovementCoder INSTANCE = new MovementCoder();

        private MovementCoder() {}

        @Override
        public void encode(Movement movement, OutputStream out) throws IOException {
            out.write(movement.arrival ? 1 : 0);
            Flight.FlightCoder.INSTANCE.encode(movement.flight, out);
        }

        @Override
        public Movement decode(InputStream in) throws IOException {
            int arrival = in.read();
            if (arrival < 0) {
                throw new EOFException("a movement ends early");
            }
            return new Movement(arrival == 1, Flight.FlightCoder.INSTANCE.decode(in));
        }

        @Override
        public boolean consistentWithEquals() {
            return true;
        }

        private Object readResolve() {
            return INSTANCE;
        }
    }
}
