// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Departures of one airport, earliest first, those of one minute in order of destination. Grows; not thread safe. */
final class Departures {
    private int[] minutes = new int[64];
    private int[] destinations = new int[64];
    private int size;

    /** Adds the departures of the hour that starts at {@code hourMinute}; hours are added in order. */
    void add(int hourMinute, DepartureBoard board) {
        if (size + board.size() > minutes.length) {
            int capacity = Math.max(size + board.size(), 2 * minutes.length);
            minutes = Arrays.copyOf(minutes, capacity);
            destinations = Arrays.copyOf(destinations, capacity);
        }
        for (int i = 0; i < board.size(); i++) {
            minutes[size] = hourMinute + board.minuteOfHour(i);
            destinations[size] = board.destination(i);
            size++;
        }
    }

    /**
     * Joins {@code flight}. A departure connects if it leaves at least {@code minimumMinutes} and at most {@code
     * windowMinutes} after the arrival, and not back to where the flight came from. A departure is missed if it would have
     * been reached on schedule, leaves too early for the true arrival, and at most {@code windowMinutes} before it.
     */
    ConnectedFlight connect(Flight flight, int windowMinutes, int minimumMinutes, int onwardFlights) {
        int arrival = flight.arrivalMinute();
        int scheduled = Math.max(flight.scheduledArrivalMinute(), arrival - windowMinutes);
        int back = AirportCode.number(flight.origin());
        int firstReached = firstAtOrAfter(arrival + minimumMinutes);

        int missed = 0;
        for (int i = firstAtOrAfter(scheduled + minimumMinutes); i < firstReached; i++) {
            if (destinations[i] != back) {
                missed++;
            }
        }
        int connections = 0;
        List<ConnectedFlight.Onward> onward = new ArrayList<>(onwardFlights);
        for (int i = firstReached; i < size && minutes[i] <= arrival + windowMinutes; i++) {
            if (destinations[i] != back) {
                if (connections < onwardFlights) {
                    onward.add(new ConnectedFlight.Onward(AirportCode.of(destinations[i]), minutes[i] - arrival));
                }
                connections++;
            }
        }
        return new ConnectedFlight(flight, connections, missed, onward);
    }

    private int firstAtOrAfter(int minute) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (minutes[middle] < minute) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
