// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** JUnit 4 tests that do what tests of a broken runner do; {@link SuiteRunTest} runs them in child JVMs. */
public final class TroubleSuite {

    private TroubleSuite() {}

    public static class Plain {
        private static int runs;

        @Test
        public void passes() {
            System.out.println("##outcome\tnot\tan\tanswer");
        }

        @Test
        public void fails() {
            assertEquals("first line\nsecond line", "the sum");
        }

        @Test
        public void hangs() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        /** Longer than the limit of {@link SuiteRunTest}. */
        @Test
        public void sleepsForThreeSeconds() throws InterruptedException {
            new CountDownLatch(1).await(3, TimeUnit.SECONDS);
        }

        @Test
        public void needsAnOption() {
            assertTrue(System.getProperty("beamTestPipelineOptions").contains("--wanted=yes"));
        }

        @Test
        public void needsNoOption() {
            assertFalse(System.getProperty("beamTestPipelineOptions").contains("--wanted=yes"));
        }

        @Test
        public void countsTwice() throws IOException {
            Files.writeString(
                    Path.of(System.getProperty(DelayCounters.FILE_PROPERTY)),
                    "{\"reads\":2,\"delayedReads\":2,\"handOvers\":0}\n{\"reads\":3,\"delayedReads\":2,\"handOvers\":1}\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }

        @Test
        public void endsItsJvm() {
            System.exit(5);
        }

        @Test
        public void isIgnoredNot() {}

        /** As one that measures real time: it passes when its JVM is warm. */
        @Test
        public void passesTheThirdTime() {
            runs++;
            assertTrue("run " + runs, runs >= 3);
        }

        @Test
        @Ignore("to be noticed")
        public void isIgnored() {}
    }

    /** The second of three parameters fails. */
    @RunWith(Parameterized.class)
    public static class Parameters {
        @Parameterized.Parameters(name = "x={0}")
        public static List<Integer> numbers() {
            return List.of(1, 2, 3);
        }

        @Parameterized.Parameter
        public int number;

        @Test
        public void odd() {
            assertEquals(1, number % 2);
        }

        @Test
        public void oddOrEven() {
            assertEquals(0, number / 4);
        }
    }
}
