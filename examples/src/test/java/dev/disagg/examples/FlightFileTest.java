// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.zip.CRC32;
import org.apache.beam.sdk.coders.Coder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlightFileTest {
    /** The first records of the file that is shipped. */
    static List<Flight> first(int count) {
        FlightFile file = FlightFile.open(null);
        List<Flight> flights = new ArrayList<>(count);
        FlightFile.Block block = file.block(0);
        for (int record = 0; record < count; record++) {
            if (!block.holds(record)) {
                block = file.block(record);
            }
            flights.add(file.flight(block, record));
        }
        return flights;
    }

    /** Sums of the columns of the origin, computed there: see DATA.md. */
    @Test
    void shippedRecordsAreThoseOfTheOriginInDepartureOrder() {
        FlightFile file = FlightFile.open(null);
        assertThat(file.records(), is(3_000_000));
        Set<String> airports = new TreeSet<>();
        CRC32 crc = new CRC32();
        long minutes = 0;
        long delayMinutes = 0;
        long distanceMiles = 0;
        Flight before = null;
        for (Flight flight : first(file.records())) {
            if (before != null && Flight.ORDER.compare(before, flight) > 0) {
                fail(flight + " comes after " + before);
            }
            before = flight;
            minutes += flight.departureMinute();
            delayMinutes += flight.delayMinutes();
            distanceMiles += flight.distanceMiles();
            airports.add(flight.origin());
            airports.add(flight.destination());
            crc.update((flight.departureMinute() + "," + flight.delayMinutes() + "," + flight.distanceMiles() + ","
                            + flight.origin() + "," + flight.destination() + "\n")
                    .getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(minutes, is(49_308_711_368_672L));
        assertThat(delayMinutes, is(20_003_603L));
        assertThat(distanceMiles, is(2_194_861_208L));
        assertThat(Long.toHexString(crc.getValue()), is("59f32ec6"));
        assertThat(airports, is(airportNames()));
    }

    @Test
    void packedFlightsComeBack() {
        List<Flight> flights = first(1000);
        for (int blockRecords : new int[] {1, 7, 1000, 5000}) {
            FlightFile file = FlightFile.parse(FlightFilePacker.pack(flights, blockRecords), "test");
            for (int record = 999; record >= 0; record--) {
                assertThat(file.flight(file.block(record), record), is(flights.get(record)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void flippedBitIsFound(long seed) {
        byte[] bytes = FlightFilePacker.pack(first(500), 100);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        bytes[4 + random.nextInt(bytes.length - 4)] ^= (byte) (1 << random.nextInt(8));
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> FlightFile.parse(bytes, "test"), "seed " + seed);
        assertThat(refused.getMessage(), containsString("test is damaged"));
    }

    @Test
    void fileOfAnotherKindIsRefused() {
        byte[] bytes = "origin,destination,delay".getBytes(StandardCharsets.US_ASCII);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> FlightFile.parse(bytes, "flights.csv"));
        assertThat(refused.getMessage(), containsString("flights.csv is not a file of packed flights"));
    }

    @Test
    void arrivalIsNeverBeforeHalfTheDuration() {
        Flight wrong = new Flight(1000, -1116, 800, "ATL", "BOS");
        assertThat(wrong.durationMinutes(), is(130));
        assertThat(wrong.arrivalMinute(), is(1065));
        assertThat(new Flight(1000, 20, 800, "ATL", "BOS").arrivalMinute(), is(1150));
    }

    @Test
    void codersGiveBackWhatTheyTook() throws IOException {
        for (Flight flight :
                List.of(new Flight(16_305_121, -1116, 4962, "AAA", "ZZZ"), new Flight(0, 1688, 0, "ABE", "YAK"))) {
            assertThat(copy(Flight.FlightCoder.INSTANCE, flight), is(flight));
            Movement movement = new Movement(true, flight);
            assertThat(copy(Movement.MovementCoder.INSTANCE, movement), is(movement));
            ConnectedFlight connected =
                    new ConnectedFlight(flight, 300, 2, List.of(new ConnectedFlight.Onward("ATL", 400)));
            assertThat(copy(ConnectedFlight.ConnectedFlightCoder.INSTANCE, connected), is(connected));
        }
        DepartureBoard board =
                DepartureBoard.EMPTY.with(59, "ZZZ").with(0, "AAA").with(59, "ABE");
        assertThat(copy(DepartureBoard.DepartureBoardCoder.INSTANCE, board), is(board));
        assertThat(board.minuteOfHour(1), is(59));
        assertThat(AirportCode.of(board.destination(1)), is("ABE"));
        DelayStats stats = new DelayStats(1, -2, 3, 4, 5);
        assertThat(copy(DelayStats.DelayStatsCoder.INSTANCE, stats), is(stats));
    }

    private static <T> T copy(Coder<T> coder, T value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        coder.encode(value, out);
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        T copy = coder.decode(in);
        assertThat("bytes left", in.available(), is(0));
        return copy;
    }

    private static Set<String> airportNames() {
        BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(FlightFileTest.class.getResourceAsStream("airports.csv")),
                StandardCharsets.UTF_8));
        return new TreeSet<>(
                reader.lines().skip(1).map(line -> line.split(",")[0]).toList());
    }
}
