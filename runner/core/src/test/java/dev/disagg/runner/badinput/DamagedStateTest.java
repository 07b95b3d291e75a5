// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasEntry;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.DisaggException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bytes of a committed checkpoint are changed behind the job's back: in its log, in the pack that has the tasks' manifests,
 * in the tables. A restore either says which object is damaged, and deletes nothing, or never needed what was changed.
 */
class DamagedStateTest {
    private static final int FLIPS = 6;

    @TempDir
    static Path original;

    @TempDir
    Path directory;

    @BeforeAll
    static void leaveACheckpoint() {
        SummingJob.leave(original);
    }

    private static List<String> objects(String kind) {
        List<String> names = new ArrayList<>();
        for (String name : Jobs.contents(original).keySet()) {
            if (name.startsWith("job/" + kind + "/")) {
                names.add(name);
            }
        }
        assertThat("objects of " + kind, names.size(), greaterThan(0));
        return names;
    }

    private void copyOriginal() throws IOException {
        try (Stream<Path> files = Files.walk(original)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                Path copy = directory.resolve(original.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.write(copy, Files.readAllBytes(file));
            }
        }
    }

    /** What is changed in an object. */
    enum Damage {
        CUT_TO_NOTHING {
            @Override
            byte[] of(byte[] bytes, SplittableRandom random) {
                return new byte[0];
            }
        },
        CUT_IN_HALF {
            @Override
            byte[] of(byte[] bytes, SplittableRandom random) {
                return Arrays.copyOf(bytes, bytes.length / 2);
            }
        },
        LAST_BYTE_LOST {
            @Override
            byte[] of(byte[] bytes, SplittableRandom random) {
                return Arrays.copyOf(bytes, bytes.length - 1);
            }
        },
        BIT_FLIPPED {
            @Override
            byte[] of(byte[] bytes, SplittableRandom random) {
                byte[] flipped = bytes.clone();
                flipped[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                return flipped;
            }
        };

        abstract byte[] of(byte[] bytes, SplittableRandom random);
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedLogRecordsAreNamed(Damage damage) throws IOException {
        int refused = 0;
        for (String object : objects("log")) {
            refused += damageAndRestore(object, damage, 1);
        }
        assertThat("at least the checkpoint's own record is needed", refused, greaterThan(0));
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedManifestsAndTablesAreNamed(Damage damage) throws IOException {
        int refused = 0;
        for (String object : objects("data")) {
            refused += damageAndRestore(object, damage, damage == Damage.BIT_FLIPPED ? FLIPS : 1);
        }
        assertThat("most of a checkpoint's bytes are needed to go on from it", refused, greaterThan(0));
    }

    /** Returns how many times the damage was noticed. */
    private int damageAndRestore(String object, Damage damage, int times) throws IOException {
        int refused = 0;
        for (long seed = 1; seed <= times; seed++) {
            copyOriginal();
            Path file = directory.resolve(object);
            byte[] bytes = Files.readAllBytes(file);
            Files.write(file, damage.of(bytes, new SplittableRandom(seed)));
            Map<String, Integer> before = Jobs.contents(directory);
            String what = damage + " in " + object + ", seed " + seed;
            DisaggException said = restoring(what);
            if (said != null) {
                refused++;
                assertThat(what, said, instanceOf(Corrupt.class));
                assertThat(what, said.getMessage(), containsString(object));
                Map<String, Integer> after = Jobs.contents(directory);
                before.forEach((name, hash) -> assertThat(what + ": untouched", after, hasEntry(name, hash)));
                Files.write(file, bytes);
                assertThat(what + ": once repaired", SummingJob.finish(directory), equalTo(SummingJob.sums()));
            }
            clear();
        }
        return refused;
    }

    /** The error of this project that a restore ends with; null when it came to the right end. */
    private DisaggException restoring(String what) {
        try {
            assertThat(what, SummingJob.finish(directory), equalTo(SummingJob.sums()));
            return null;
        } catch (RuntimeException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof DisaggException known) {
                    return known;
                }
            }
            throw new AssertionError(what + ": an error that is not one of this project's", e);
        }
    }

    private void clear() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                Files.delete(file);
            }
        }
    }

    @Test
    void anObjectThatIsGoneIsNamed() throws IOException {
        for (String object : objects("data")) {
            copyOriginal();
            Files.delete(directory.resolve(object));
            DisaggException said = restoring(object + " removed");
            assertThat(object, said, is(notNullValue()));
            assertThat(said.getMessage(), allOf(containsString(object)));
        }
    }
}
