// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A side input of 64 MB in a process of 48 MB; of 200 MB in 96 MB at night. */
class LargerThanMemoryTest {
    private static final boolean NIGHT = Boolean.getBoolean("disagg.night");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "disagg,multimap,false",
        "heap,iterable,false",
        "disagg,list,true",
        "disagg,iterable,true",
        "heap,multimap,true"
    })
    void aSideInputLargerThanTheHeapIsWrittenAndRead(String backend, String form, boolean atNight) throws Exception {
        assumeTrue(NIGHT || !atNight, "with -Ddisagg.night=true");
        Path said = directory.resolve("said");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        NIGHT ? "-Xmx96m" : "-Xmx48m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .replace("\n", File.pathSeparator),
                        LargerThanMemory.class.getName(),
                        directory.resolve("state").toString(),
                        backend,
                        form,
                        NIGHT ? "200" : "64"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended = process.waitFor(300, TimeUnit.SECONDS);
        process.destroyForcibly();
        String output = Files.readString(said);
        assertThat(output, ended, is(true));
        assertThat(output, containsString("right, heap"));
        assertThat(output, process.exitValue(), is(0));
    }
}
