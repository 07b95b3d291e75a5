// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Java24Test {
    @TempDir
    Path homes;

    private Path home(String version) throws IOException {
        Path home = Files.createDirectories(homes.resolve("jdk-" + version));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        Path program = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.createFile(program);
        assertThat(program.toFile().setExecutable(true), is(true));
        return home;
    }

    @Test
    void newEnoughJavaThatIsAskedForIsTaken() throws IOException {
        Path home = home("25.0.3");

        assertThat(Java24.find(Optional.of(home.toString())), is(Optional.of(home.resolve("bin/java"))));
    }

    @Test
    void olderJavaThatIsAskedForIsRefused() throws IOException {
        String home = home("17.0.15").toString();

        Exception refused = assertThrows(IllegalArgumentException.class, () -> Java24.find(Optional.of(home)));
        assertThat(refused.getMessage(), containsString(home));
    }

    @Test
    void placeWithoutJavaThatIsAskedForIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Java24.find(Optional.of(homes.toString())));
    }
}
