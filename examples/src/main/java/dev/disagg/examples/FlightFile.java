// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Flight records in departure order, packed column by column in blocks that are inflated one at a time. Immutable and
 * safe for use by many threads; the packed bytes (about two a record) stay in memory.
 *
 * <pre>
 * magic "FLT1"                                               CRC-32 of all that follows (4)
 * routes (2), each: origin (3 letters), destination (3 letters), distance in miles (2)
 * records (4)   records per block (4)
 * each block: first minute (4), packed length (4), packed columns (zlib)
 *     columns of n records: minute - previous minute (n x 2), route number (n x 2), delay in minutes (n x 2);
 *     each column as all its high bytes, then all its low bytes; a route number in the same minute as the record
 *     before it is the difference to that record's; a delay is zigzag encoded
 * </pre>
 */
final class FlightFile {
    static final int MAGIC = 0x464C5431;
    static final String RESOURCE = "flights.bin";

    // One entry per file that this process reads: one pipeline reads one.
    private static final Map<String, FlightFile> OPENED = new ConcurrentHashMap<>();

    /** A route between two airports, with its distance. */
    record Route(String origin, String destination, int distanceMiles) {}

    /** Inflated records, the first of which has number {@code firstRecord}. */
    record Block(int firstRecord, int[] minutes, int[] routes, int[] delayMinutes) {
        boolean holds(long record) {
            return record >= firstRecord && record < (long) firstRecord + minutes.length;
        }
    }

    private final Route[] routes;
    private final int records;
    private final int blockRecords;
    private final int[] blockOffsets;
    private final byte[] bytes;

    private FlightFile(byte[] bytes, String name) {
        this.bytes = bytes;
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length < 18 || buffer.getInt() != MAGIC) {
            throw new IllegalArgumentException(
                    name + " is not a file of packed flights: see examples/DATA.md for how to make one");
        }
        int crcExpected = buffer.getInt();
        CRC32 crc = new CRC32();
        crc.update(bytes, 8, bytes.length - 8);
        if (crcExpected != (int) crc.getValue()) {
            throw new IllegalArgumentException(name + " is damaged: its checksum is "
                    + Integer.toHexString((int) crc.getValue()) + ", not " + Integer.toHexString(crcExpected)
                    + "; get it again");
        }
        routes = new Route[buffer.getShort() & 0xFFFF];
        for (int route = 0; route < routes.length; route++) {
            routes[route] = new Route(code(buffer), code(buffer), buffer.getShort() & 0xFFFF);
        }
        records = buffer.getInt();
        blockRecords = buffer.getInt();
        blockOffsets = new int[(records + blockRecords - 1) / blockRecords];
        for (int block = 0; block < blockOffsets.length; block++) {
            blockOffsets[block] = buffer.position();
            int packedBytes = buffer.getInt(buffer.position() + 4);
            buffer.position(buffer.position() + 8 + packedBytes);
        }
    }

    /**
     * The file at {@code input}, or the one shipped with the examples when that is null or empty. Read once per process.
     *
     * @throws IllegalArgumentException when it cannot be read, is of another kind, or is damaged
     */
    static FlightFile open(@Nullable String input) {
        return OPENED.computeIfAbsent(input == null ? "" : input, FlightFile::read);
    }

    static FlightFile parse(byte[] bytes, String name) {
        return new FlightFile(bytes, name);
    }

    int records() {
        return records;
    }

    Block block(long record) {
        int number = (int) (record / blockRecords);
        int firstRecord = number * blockRecords;
        int count = Math.min(blockRecords, records - firstRecord);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int minute = buffer.getInt(blockOffsets[number]);
        byte[] columns = inflate(blockOffsets[number] + 8, buffer.getInt(blockOffsets[number] + 4), 6 * count, number);
        int[] minutes = new int[count];
        int[] routeNumbers = new int[count];
        int[] delayMinutes = new int[count];
        int route = 0;
        for (int i = 0; i < count; i++) {
            int step = unsigned(columns, 0, count, i);
            minute += step;
            minutes[i] = minute;
            route = unsigned(columns, 2 * count, count, i) + (step == 0 ? route : 0);
            routeNumbers[i] = route;
            int zigzagDelay = unsigned(columns, 4 * count, count, i);
            delayMinutes[i] = (zigzagDelay >>> 1) ^ -(zigzagDelay & 1);
        }
        return new Block(firstRecord, minutes, routeNumbers, delayMinutes);
    }

    Flight flight(Block block, long record) {
        int index = (int) (record - block.firstRecord);
        Route route = routes[block.routes[index]];
        return new Flight(
                block.minutes[index], block.delayMinutes[index], route.distanceMiles, route.origin, route.destination);
    }

    private byte[] inflate(int offset, int packedBytes, int lengthBytes, int block) {
        byte[] columns = new byte[lengthBytes];
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(bytes, offset, packedBytes);
            int inflatedBytes = inflater.inflate(columns);
            if (inflatedBytes != lengthBytes) {
                throw new IllegalStateException(
                        "block " + block + " has " + inflatedBytes + " bytes, not " + lengthBytes);
            }
            return columns;
        } catch (DataFormatException e) {
            throw new IllegalStateException("block " + block + " cannot be inflated", e);
        } finally {
            inflater.end();
        }
    }

    private static int unsigned(byte[] columns, int offset, int count, int index) {
        return (columns[offset + index] & 0xFF) << 8 | columns[offset + count + index] & 0xFF;
    }

    private static String code(ByteBuffer buffer) {
        return "" + (char) buffer.get() + (char) buffer.get() + (char) buffer.get();
    }

    private static FlightFile read(String input) {
        try {
            if (!input.isEmpty()) {
                return new FlightFile(Files.readAllBytes(Path.of(input)), input);
            }
            try (InputStream in = FlightFile.class.getResourceAsStream(RESOURCE)) {
                if (in == null) {
                    throw new IllegalArgumentException("the resource " + RESOURCE + " is not in the examples' jar");
                }
                return new FlightFile(in.readAllBytes(), RESOURCE);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("--input=" + input + " cannot be read: " + e, e);
        }
    }
}
