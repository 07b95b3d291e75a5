// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Comparator;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.util.VarInt;
import org.joda.time.Instant;

/**
 * One flight as the data has it. All minutes are whole minutes since 1970-01-01 00:00; the data has local times without
 * a zone, and all of them are read as if on one clock.
 *
 * @param departureMinute the flight's date and time in the data
 * @param delayMinutes how late it arrived; negative when it was early
 * @param distanceMiles between the two airports
 * @param origin code of the airport of departure
 * @param destination code of the airport of arrival
 */
record Flight(int departureMinute, int delayMinutes, int distanceMiles, String origin, String destination) {
    static final long MINUTE_MILLIS = 60_000;

    /** By all fields, departure first: the order of the records in a {@link FlightFile}. */
    static final Comparator<Flight> ORDER = comparingInt(Flight::departureMinute)
            .thenComparing(Flight::origin)
            .thenComparing(Flight::destination)
            .thenComparingInt(Flight::delayMinutes)
            .thenComparingInt(Flight::distanceMiles);

    /** By all fields, arrival first. */
    static final Comparator<Flight> ARRIVAL_ORDER =
            comparing(Flight::arrivalMinute, Comparator.<Integer>naturalOrder()).thenComparing(ORDER);

    /** Estimated duration: half an hour on the ground, and eight miles a minute in the air. */
    int durationMinutes() {
        return 30 + distanceMiles / 8;
    }

    int scheduledArrivalMinute() {
        return departureMinute + durationMinutes();
    }

    /**
     * Schedule plus delay, but at least half the duration after the departure: a few records claim an arrival hours
     * before the departure.
     */
    int arrivalMinute() {
        return departureMinute + Math.max(durationMinutes() + delayMinutes, durationMinutes() / 2);
    }

    Instant departure() {
        return Instant.ofEpochMilli(departureMinute * MINUTE_MILLIS);
    }

    Instant arrival() {
        return Instant.ofEpochMilli(arrivalMinute() * MINUTE_MILLIS);
    }

    /** About 14 bytes a flight. */
    static final class FlightCoder extends AtomicCoder<Flight> {
        static final FlightCoder INSTANCE = new FlightCoder();

        private FlightCoder() {}

        @Override
        public void encode(Flight flight, OutputStream out) throws IOException {
            VarInt.encode(flight.departureMinute, out);
            VarInt.encode((flight.delayMinutes << 1) ^ (flight.delayMinutes >> 31), out);
            VarInt.encode(flight.distanceMiles, out);
            AirportCode.write(flight.origin, out);
            AirportCode.write(flight.destination, out);
        }

        @Override
        public Flight decode(InputStream in) throws IOException {
            int departureMinute = VarInt.decodeInt(in);
            int zigzagDelay = VarInt.decodeInt(in);
            int distanceMiles = VarInt.decodeInt(in);
            return new Flight(
                    departureMinute,
                    (zigzagDelay >>> 1) ^ -(zigzagDelay & 1),
                    distanceMiles,
                    AirportCode.read(in),
                    AirportCode.read(in));
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
