// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.util.VarInt;

/**
 * A flight that has arrived, joined with the later departures of its airport.
 *
 * @param connections departures that its passengers could take
 * @param missed departures that they could have taken, had it arrived on schedule
 * @param onward the first of the connections, in order of departure and destination
 */
record ConnectedFlight(Flight flight, int connections, int missed, List<Onward> onward) {
    ConnectedFlight {
        onward = List.copyOf(onward);
    }

    /** A departure to {@code destination}, {@code waitMinutes} after the arrival. */
    record Onward(String destination, int waitMinutes) {}

    static final class ConnectedFlightCoder extends AtomicCoder<ConnectedFlight> {
        static final ConnectedFlightCoder INSTANCE = new ConnectedFlightCoder();

        private ConnectedFlightCoder() {}

        @Override
        public void encode(ConnectedFlight connected, OutputStream out) throws IOException {
            Flight.FlightCoder.INSTANCE.encode(connected.flight, out);
            VarInt.encode(connected.connections, out);
            VarInt.encode(connected.missed, out);
            VarInt.encode(connected.onward.size(), out);
            for (Onward onward : connected.onward) {
                AirportCode.write(onward.destination, out);
                VarInt.encode(onward.waitMinutes, out);
            }
        }

        @Override
        public ConnectedFlight decode(InputStream in) throws IOException {
            Flight flight = Flight.FlightCoder.INSTANCE.decode(in);
            int connections = VarInt.decodeInt(in);
            int missed = VarInt.decodeInt(in);
            int size = VarInt.decodeInt(in);
            List<Onward> onward = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                onward.add(new Onward(AirportCode.read(in), VarInt.decodeInt(in)));
            }
            return new ConnectedFlight(flight, connections, missed, onward);
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
