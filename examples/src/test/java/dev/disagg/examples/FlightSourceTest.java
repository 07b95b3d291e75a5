// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.UnboundedSource.UnboundedReader;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.SerializableUtils;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlightSourceTest {
    // More than one block of the file.
    private static final int RECORDS = 20_001;
    private static final FlightSource SOURCE = new FlightSource(null, RECORDS, 0, 0);
    private final PipelineOptions options = PipelineOptionsFactory.create();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void splitsHaveEveryRecordOnce(int count) throws IOException {
        List<FlightSource> splits = SOURCE.split(count, options);
        assertThat(splits, hasSize(count));
        List<Flight> flights = new ArrayList<>();
        for (FlightSource split : splits) {
            if (count > 1) {
                assertThat("a split splits no further", split.split(5, options), is(List.of(split)));
            }
            flights.addAll(readAll(split.createReader(options, null)));
        }
        flights.sort(Flight.ORDER);
        assertThat(flights, is(FlightFileTest.first(RECORDS)));
    }

    @Test
    void moreSplitsThanRecordsLeaveSomeEmptyAndFinished() throws IOException {
        List<FlightSource> splits = new FlightSource(null, 2, 0, 5).split(1, options);
        assertThat(splits, hasSize(5));
        UnboundedReader<Flight> empty = splits.get(4).createReader(options, null);
        assertThat(empty.start(), is(false));
        assertThat(empty.getWatermark(), is(BoundedWindow.TIMESTAMP_MAX_VALUE));
        assertThrows(NoSuchElementException.class, empty::getCurrent);
    }

    @Test
    void watermarkNeverPassesAFollowingRecordAndEndsAtTheEndOfTime() throws IOException {
        for (FlightSource split : SOURCE.split(3, options)) {
            UnboundedReader<Flight> reader = split.createReader(options, null);
            Instant before = reader.getWatermark();
            int records = 0;
            for (boolean more = reader.start(); more; more = reader.advance()) {
                records++;
                assertThat(reader.getCurrentTimestamp(), is(reader.getCurrent().departure()));
                assertThat(
                        "watermark passed the record",
                        reader.getCurrentTimestamp().isBefore(before),
                        is(false));
                Instant watermark = reader.getWatermark();
                assertThat("watermark went back", watermark.isBefore(before), is(false));
                before = watermark;
            }
            assertThat(records, is(RECORDS / 3));
            assertThat(reader.getWatermark(), is(BoundedWindow.TIMESTAMP_MAX_VALUE));
            assertThat(reader.getSplitBacklogBytes(), is(0L));
            assertThat("nothing comes after the end", reader.advance(), is(false));
        }
    }

    /** Stops at random places, each time through the coder of the mark and a copy of the source. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void readerResumedFromItsMarkGivesTheRestOnce(long seed) throws IOException {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        FlightSource split = SOURCE.split(2, options).get(random.nextInt(2));
        List<Flight> expected = readAll(split.createReader(options, null));

        List<Flight> flights = new ArrayList<>();
        FlightSource.Mark mark = null;
        int resumes = 0;
        boolean ended = false;
        while (!ended) {
            FlightSource again = SerializableUtils.clone(split);
            UnboundedReader<Flight> reader = again.createReader(options, mark);
            int budget = random.nextInt(3000);
            boolean more = budget > 0 && reader.start();
            for (int taken = 0; more; more = ++taken < budget && reader.advance()) {
                flights.add(reader.getCurrent());
            }
            ended = reader.getWatermark().equals(BoundedWindow.TIMESTAMP_MAX_VALUE);
            mark = copy(again.getCheckpointMarkCoder(), (FlightSource.Mark) reader.getCheckpointMark());
            mark.finalizeCheckpoint();
            reader.close();
            resumes++;
        }
        assertThat("seed " + seed, flights, is(expected));
        assertThat("seed " + seed + " resumes", resumes, is(greaterThan(2)));
    }

    @Test
    void paceGivesNoMoreThanItsRate() {
        long[] nanos = {5_000_000_000L};
        Pace pace = new Pace(10, () -> nanos[0]);
        assertThat("at the start", pace.take(), is(false));
        nanos[0] += 100_000_001;
        assertThat("after a tenth", pace.take(), is(true));
        assertThat("at once again", pace.take(), is(false));
        nanos[0] += 1_000_000_000;
        int taken = 0;
        while (pace.take()) {
            taken++;
        }
        assertThat("in a second more", taken, is(10));
    }

    @Test
    void sourceWithoutALimitHasAllRecords() {
        assertThat(new FlightSource(null, 0, 0, 0).records(), is(3_000_000L));
        assertThat(new FlightSource(null, 4_000_000, 0, 0).records(), is(3_000_000L));
        assertThat(SOURCE.records(), is((long) RECORDS));
    }

    private static List<Flight> readAll(UnboundedReader<Flight> reader) throws IOException {
        List<Flight> flights = new ArrayList<>();
        for (boolean more = reader.start(); more; more = reader.advance()) {
            flights.add(reader.getCurrent());
        }
        return flights;
    }

    private static FlightSource.Mark copy(Coder<FlightSource.Mark> coder, FlightSource.Mark mark) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        coder.encode(mark, out);
        return coder.decode(new ByteArrayInputStream(out.toByteArray()));
    }
}
