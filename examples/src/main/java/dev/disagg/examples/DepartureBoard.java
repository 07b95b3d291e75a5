// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.beam.sdk.coders.AtomicCoder;

/**
 * The departures of one airport within one hour, by minute and destination. Immutable. Each departure is one number, minute
 * of the hour first and code of the destination next, so that sorting the numbers sorts the departures.
 */
final class DepartureBoard {
    static final DepartureBoard EMPTY = new DepartureBoard(new int[0]);

    private final int[] sorted;

    private DepartureBoard(int[] sorted) {
        this.sorted = sorted;
    }

    DepartureBoard with(int minuteOfHour, String destination) {
        int departure = minuteOfHour * AirportCode.COUNT + AirportCode.number(destination);
        int found = Arrays.binarySearch(sorted, departure);
        int at = found < 0 ? -found - 1 : found;
        int[] more = Arrays.copyOf(sorted, sorted.length + 1);
        System.arraycopy(sorted, at, more, at + 1, sorted.length - at);
        more[at] = departure;
        return new DepartureBoard(more);
    }

    int size() {
        return sorted.length;
    }

    int minuteOfHour(int index) {
        return sorted[index] / AirportCode.COUNT;
    }

    /** The destination of departure {@code index}, as {@link AirportCode} numbers it. */
    int destination(int index) {
        return sorted[index] % AirportCode.COUNT;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DepartureBoard board && Arrays.equals(sorted, board.sorted);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sorted);
    }

    @Override
    public String toString() {
        return Arrays.toString(sorted);
    }

    /** Four bytes a departure. */
    static final class DepartureBoardCoder extends AtomicCoder<DepartureBoard> {
        static final DepartureBoardCoder INSTANCE = new DepartureBoardCoder();

        private DepartureBoardCoder() {}

        @Override
        public void encode(DepartureBoard board, OutputStream out) throws IOException {
            DataOutputStream data = new DataOutputStream(out);
            data.writeInt(board.sorted.length);
            for (int departure : board.sorted) {
                data.writeInt(departure);
            }
        }

        @Override
        public DepartureBoard decode(InputStream in) throws IOException {
            DataInputStream data = new DataInputStream(in);
            int[] sorted = new int[data.readInt()];
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = data.readInt();
            }
            return new DepartureBoard(sorted);
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
