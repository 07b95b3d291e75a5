// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Packs flights into the format of {@link FlightFile}. As a program: {@code FlightFilePacker flights.csv flights.bin}. */
final class FlightFilePacker {
    private FlightFilePacker() {}

    public static void main(String[] args) throws IOException {
        List<Flight> flights = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(Path.of(args[0]))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] fields = line.split(",");
                flights.add(new Flight(
                        Integer.parseInt(fields[0]),
                        Integer.parseInt(fields[1]),
                        Integer.parseInt(fields[2]),
                        fields[3].intern(),
                        fields[4].intern()));
            }
        }
        flights.sort(Flight.ORDER);
        Files.write(Path.of(args[1]), pack(flights, 16_384));
    }

    /** Packs {@code flights}, which must be in {@link Flight#ORDER}, with one distance per route. */
    static byte[] pack(List<Flight> flights, int blockRecords) {
        record Ends(String origin, String destination) {}
        Map<Ends, Integer> distances = new HashMap<>();
        TreeSet<String> sorted = new TreeSet<>();
        for (Flight flight : flights) {
            Integer before =
                    distances.putIfAbsent(new Ends(flight.origin(), flight.destination()), flight.distanceMiles());
            if (before != null && before != flight.distanceMiles()) {
                throw new IllegalArgumentException("two distances for the route of " + flight);
            }
            sorted.add(flight.origin() + flight.destination());
        }
        Map<Ends, Integer> numbers = new HashMap<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeShort(sorted.size());
            for (String route : sorted) {
                Ends ends = new Ends(route.substring(0, 3), route.substring(3));
                numbers.put(ends, numbers.size());
                out.writeBytes(route);
                out.writeShort(distances.get(ends));
            }
            out.writeInt(flights.size());
            out.writeInt(blockRecords);
            for (int first = 0; first < flights.size(); first += blockRecords) {
                List<Flight> block = flights.subList(first, Math.min(first + blockRecords, flights.size()));
                int minute = block.get(0).departureMinute();
                out.writeInt(minute);
                int[][] columns = new int[3][block.size()];
                int route = 0;
                for (int i = 0; i < block.size(); i++) {
                    Flight flight = block.get(i);
                    int step = flight.departureMinute() - minute;
                    int number = numbers.get(new Ends(flight.origin(), flight.destination()));
                    columns[0][i] = step;
                    columns[1][i] = step == 0 ? number - route : number;
                    columns[2][i] = flight.delayMinutes() << 1 ^ flight.delayMinutes() >> 31;
                    minute = flight.departureMinute();
                    route = number;
                }
                byte[] packed = deflate(columns);
                out.writeInt(packed.length);
                out.write(packed);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] body = bytes.toByteArray();
        CRC32 crc = new CRC32();
        crc.update(body);
        return ByteBuffer.allocate(8 + body.length)
                .putInt(FlightFile.MAGIC)
                .putInt((int) crc.getValue())
                .put(body)
                .array();
    }

    private static byte[] deflate(int[][] columns) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        for (int[] column : columns) {
            for (int value : column) {
                if (value < 0 || value > 0xFFFF) {
                    throw new IllegalArgumentException("value out of order or range: " + value);
                }
                plain.write(value >>> 8);
            }
            for (int value : column) {
                plain.write(value);
            }
        }
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        try {
            deflater.setInput(plain.toByteArray());
            deflater.finish();
            byte[] packed = new byte[plain.size() + 1024];
            return Arrays.copyOf(packed, deflater.deflate(packed));
        } finally {
            deflater.end();
        }
    }
}
