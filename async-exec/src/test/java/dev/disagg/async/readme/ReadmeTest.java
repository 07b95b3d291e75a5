// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.readme;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.sim.Simulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The example of the README compiles, says what the README prints, and does what it promises. */
class ReadmeTest {
    private static final long LATENCY_NANOS = 23_000_000;

    @Test
    void readmePrintsTheExampleAsItIs() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/disagg/async/readme/WordCounts.java"));
        String readme = Files.readString(Path.of("README.md"));
        String shown = source.substring(
                source.indexOf("/** Counts words"), source.indexOf("    @Override\n    public void released"));
        assertThat(readme, containsString(shown.strip()));
    }

    @Test
    void aHundredWordsTakeTheTimeOfOneRead() {
        try (Simulation simulation = Simulation.orderly(1)) {
            ArrayDeque<String> input = new ArrayDeque<>();
            for (int i = 0; i < 300; i++) {
                input.add("word" + i % 100);
            }
            WordCounts counts = new WordCounts(
                    input,
                    text -> {
                        CompletableFuture<Long> value = new CompletableFuture<>();
                        simulation.after(LATENCY_NANOS, () -> value.complete(10L));
                        return value;
                    },
                    AsyncOptions.defaults(simulation.threads(), simulation::nanoTime)
                            .withWatchdog(0, "none"));
            counts.task.start();
            simulation.run(() -> counts.task.terminated().isDone(), 100_000);
            simulation.run(() -> simulation.liveThreads() == 0, 100_000);
            assertThat(simulation.nanoTime(), equalTo(LATENCY_NANOS));
            assertThat(
                    counts.words.values().stream()
                            .map(word -> word.count)
                            .distinct()
                            .toList(),
                    equalTo(List.of(13L)));
        }
    }
}
