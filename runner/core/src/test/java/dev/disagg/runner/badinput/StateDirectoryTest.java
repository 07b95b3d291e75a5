// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.ufs.Invalid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State directories that can not be used, or must not be used as asked. */
class StateDirectoryTest {
    @TempDir
    Path directory;

    private static String refusal(Pipeline pipeline) {
        return assertThrows(Invalid.class, pipeline::run).getMessage();
    }

    @Test
    void aDirectoryBelowAFileIsRefusedByName() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "precious");
        Path below = file.resolve("state");
        String said = refusal(Jobs.short_("below-file", Jobs.in(below)));
        assertThat(
                said,
                allOf(
                        containsString(below.toString()),
                        containsString("Not a directory"),
                        containsString("or name one")));
        assertThat(Files.readString(file), is("precious"));
        assertThat(Jobs.SUMS, not(hasKey("below-file")));
    }

    @Test
    void aFileInTheDirectorysPlaceIsRefusedByName() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "precious");
        String said = refusal(Jobs.short_("file", Jobs.in(file)));
        assertThat(said, allOf(containsString(file.toString()), containsString("is not a directory")));
        assertThat(Files.readString(file), is("precious"));
    }

    @Test
    void aPlaceThatCanNotBeWrittenIsRefusedByName() {
        // Nobody can make directories there, not even the user that tests in a container run as.
        String said = refusal(Jobs.short_("proc", Jobs.in(Path.of("/proc/disagg"))));
        assertThat(said, allOf(containsString("/proc/disagg"), containsString("this user may write")));
        assertThat(Jobs.SUMS, not(hasKey("proc")));
    }

    @Test
    void anUnknownSchemeNamesWhatToAdd() {
        String said = refusal(Jobs.short_("s3", "--runner=DisaggRunner", "--stateUri=s3://bucket/x", "--jobName=job"));
        assertThat(said, allOf(containsString("s3:"), containsString("disagg-ufs-s3")));
    }

    @Test
    void aUsedDirectoryNeedsRestore() {
        Jobs.leaveCheckpoints(directory, 1);
        Map<String, Integer> before = Jobs.contents(directory);
        String said = refusal(Jobs.endless("used", Jobs.in(directory)));
        assertThat(
                said,
                allOf(
                        containsString(directory.toString()),
                        containsString("--restore=auto"),
                        containsString("--jobName")));
        assertThat("nothing is touched", Jobs.contents(directory), equalTo(before));
        assertThat(Jobs.SUMS, not(hasKey("used")));
    }

    @Test
    void aCheckpointThatIsNotThereIsRefusedAndTheOthersAreNamed() throws IOException {
        Jobs.leaveCheckpoints(directory, 2, "--retainedCheckpoints=2");
        Map<String, Integer> before = Jobs.contents(directory);
        String said = refusal(Jobs.endless("number", Jobs.in(directory, "--restore=77")));
        assertThat(
                said,
                allOf(containsString("--restore=77"), containsString(directory.toString()), containsString("[1, 2]")));
        assertThat("nothing is touched", Jobs.contents(directory), equalTo(before));
        DisaggPipelineResult first = (DisaggPipelineResult)
                Jobs.endless("first", Jobs.in(directory, "--restore=1")).run();
        assertThat(first.cancel(), is(PipelineResult.State.CANCELLED));
    }

    @Test
    void latestOfAFreshDirectoryIsRefused() {
        String said = refusal(Jobs.short_("latest", Jobs.in(directory, "--restore=latest")));
        assertThat(said, allOf(containsString("--restore=latest"), containsString("has no checkpoint")));
        assertThat(Jobs.SUMS, not(hasKey("latest")));
        // The refusal leaves no trace: the same command without --restore starts.
        Jobs.short_("fresh-after-latest", Jobs.in(directory)).run().waitUntilFinish();
        assertThat(Jobs.SUMS, hasKey("fresh-after-latest"));
    }

    @Test
    void autoOnAFreshDirectoryIsFresh() {
        Jobs.short_("auto", Jobs.in(directory, "--restore=auto")).run().waitUntilFinish();
        assertThat(Jobs.SUMS.get("auto"), equalTo(Map.of("key-1", 1L, "key-2", 2L, "key-3", 3L)));
    }

    @Test
    void restoreWithoutANameIsRefused() {
        String said = refusal(
                Jobs.short_("nameless", "--runner=DisaggRunner", "--stateUri=" + directory.toUri(), "--restore=auto"));
        assertThat(said, allOf(containsString("--restore=auto"), containsString("--jobName")));
    }
}
