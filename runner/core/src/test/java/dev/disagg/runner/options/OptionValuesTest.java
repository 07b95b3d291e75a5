// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.options;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.DisaggPipelineOptions;
import dev.disagg.runner.Settings;
import dev.disagg.ufs.Invalid;
import java.beans.Introspector;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every option of the runner: which values it takes, and what the user is told of others. */
class OptionValuesTest {
    /** Options with only one legal kind of value, or any text. */
    private static final Set<String> NOTHING_TO_REFUSE =
            Set.of("stateUri", "keepState", "explain", "copyElements", "synchronousTransforms", "delayedReads");

    /**
     * @param argument as the user writes it
     * @param said what the message must say beside the argument: the remedy
     */
    private record Refused(String argument, String said) {
        String option() {
            return argument.substring(2, argument.indexOf('='));
        }
    }

    private static final List<Refused> TABLE = List.of(
            new Refused("--stateBackend=leveldb", "unknown; use disagg or heap"),
            new Refused(
                    "--stateBackend=rocksdb",
                    "needs the module disagg-state-rocksdb on the class path: add the dependency"
                            + " dev.disagg:disagg-state-rocksdb:<version>"),
            new Refused("--stateBackend=", "unknown; use disagg or heap"),
            new Refused("--stateMemory=1kB", "must be at least 1048576"),
            new Refused("--stateMemory=much", "not a size such as 64MB or 10GiB"),
            new Refused("--stateMemory=64mb", "not a size such as 64MB or 10GiB"),
            new Refused("--stateMemory=-64MB", "not a size such as 64MB or 10GiB"),
            new Refused("--stateMemory=999999999999999GiB", "too large for a size such as"),
            new Refused("--stateCacheDir=/var/cache/x", "not available in this version; raise --stateMemory"),
            new Refused("--stateCacheBytes=1GiB", "--stateCacheDir, which is not available"),
            new Refused("--stateCacheLoadThreshold=7", "--stateCacheDir, which is not available"),
            new Refused("--parallelism=0", "must be 1 to 32768"),
            new Refused("--parallelism=32769", "must be 1 to 32768"),
            new Refused("--parallelism=-3", "must be 1 to 32768"),
            new Refused("--asyncState=maybe", "unknown; use on or off"),
            new Refused("--maxInFlightComputations=0", "must be 1 to"),
            new Refused("--maxParkedComputations=0", "must be 1 to"),
            new Refused("--slowCallTime=0s", "must be more than 0"),
            new Refused("--slowCallTime=off", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--maxCallTime=never", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--maxBundleElements=0", "must be 1 to"),
            new Refused("--maxBundleMillis=0", "must be 1 to"),
            new Refused("--sideInputInlineBytes=-1", "must be 0 to"),
            new Refused("--maxBundleMillis=9223372036854775807", "must be 1 to"),
            new Refused("--checkpointInterval=often", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--checkpointInterval=10", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--checkpointInterval=-1s", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--checkpointInterval=999999999999999s", "longer than 36500d"),
            new Refused("--checkpointTimeout=never", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--checkpointTimeout=0", "must be more than 0"),
            new Refused("--checkpointTimeout=0s", "must be more than 0"),
            new Refused("--retainedCheckpoints=0", "must be 1 to"),
            new Refused("--checkpointMode=unaligned", "not available in this version; use aligned"),
            new Refused("--checkpointMode=sloppy", "unknown; use aligned"),
            new Refused("--restore=newest", "use auto, latest, or the number of a checkpoint"),
            new Refused("--restore=-1", "use auto, latest, or the number of a checkpoint"),
            new Refused("--restore=file:///state/other/7", "not available in this version; use auto, latest"),
            new Refused("--savepoint=/save", "not available in this version; use --restore"),
            new Refused("--engine=flink", "not available in this version; use embedded"),
            new Refused("--engine=spark", "unknown; use embedded"),
            new Refused("--flinkMaster=localhost:8081", "not available in this version; leave it out"),
            new Refused("--autoscale=1,4", "not available in this version; set --parallelism"),
            new Refused("--templateLocation=/t", "not available in this version; run the pipeline's main class"),
            new Refused("--webPort=8080", "not available in this version; use --progressInterval"),
            new Refused("--stateLatency=slow", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--progressInterval=1x", "not a duration such as 500ms, 10s or 5m"),
            new Refused("--jobName=a/b", "use letters, digits"),
            new Refused("--jobName=..", "use letters, digits"));

    private static Settings settings(String... arguments) {
        return Settings.of(PipelineOptionsFactory.fromArgs(arguments).as(DisaggPipelineOptions.class));
    }

    static Stream<Refused> table() {
        return TABLE.stream();
    }

    @ParameterizedTest
    @MethodSource("table")
    void refusesByNameAndSaysWhatToDo(Refused refused) {
        boolean restores = refused.option().equals("restore");
        Invalid invalid = assertThrows(
                Invalid.class,
                () -> settings(
                        restores
                                ? new String[] {refused.argument(), "--stateUri=/s", "--jobName=j"}
                                : new String[] {refused.argument()}));
        String line = invalid.getMessage().lines().skip(1).collect(Collectors.joining("\n"));
        assertThat(line, containsString("--" + refused.option()));
        assertThat(line, containsString(refused.said()));
        assertThat("one violation, one line", line.lines().toList(), hasSize(1));
    }

    @Test
    void allViolationsComeInOneMessage() {
        String[] all = TABLE.stream()
                .collect(Collectors.toMap(Refused::option, Refused::argument, (first, second) -> first))
                .values()
                .toArray(String[]::new);
        String message = assertThrows(Invalid.class, () -> settings(all)).getMessage();
        for (String argument : all) {
            assertThat(message, containsString("\n  " + argument.substring(0, argument.indexOf('='))));
        }
    }

    @Test
    void noOptionIsForgottenInTheTable() {
        Set<String> options = Arrays.stream(DisaggPipelineOptions.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("set"))
                .map(name -> Introspector.decapitalize(name.substring(3)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(options, hasItem("stateBackend"));
        TABLE.forEach(refused -> options.remove(refused.option()));
        options.removeAll(NOTHING_TO_REFUSE);
        assertThat(options, is(empty()));
    }

    @Test
    void restoreNeedsAPlaceThatIsTheSameInEachRun() {
        assertThat(said("--restore=auto"), containsString("needs --stateUri and --jobName"));
        assertThat(said("--restore=auto", "--jobName=j"), containsString("needs --stateUri: without it"));
        assertThat(said("--restore=latest", "--stateUri=/s"), containsString("needs --jobName: without it"));
        assertThat(settings("--restore=7", "--stateUri=/s", "--jobName=j").restore(), equalTo(Optional.of("7")));
    }

    @Test
    void aJobNameSetByTheProgramCountsAsGiven() {
        DisaggPipelineOptions options = PipelineOptionsFactory.fromArgs("--restore=auto", "--stateUri=/s")
                .as(DisaggPipelineOptions.class);
        assertThat(
                "the default name is looked at, which does not make it given",
                options.getJobName().isEmpty(),
                is(false));
        assertThrows(Invalid.class, () -> Settings.of(options));
        options.setJobName("mine");
        assertThat(Settings.of(options).jobName(), is("mine"));
    }

    private static String said(String... arguments) {
        return assertThrows(Invalid.class, () -> settings(arguments)).getMessage();
    }

    @Test
    void wordsAndUnitsThatAreTaken() {
        assertThat(settings("--checkpointInterval=off").checkpointInterval(), equalTo(Optional.of(Duration.ZERO)));
        assertThat(
                settings("--checkpointInterval=500ms").checkpointInterval(),
                equalTo(Optional.of(Duration.ofMillis(500))));
        assertThat(settings("--checkpointTimeout=2min").checkpointTimeout(), is(Duration.ofMinutes(2)));
        assertThat(settings("--stateLatency=0").stateLatency(), is(Duration.ZERO));
        assertThat(settings("--progressInterval=5s").progressInterval(), is(Duration.ofSeconds(5)));
        assertThat(settings("--stateMemory=64MB").stateMemoryBytes(), is(64_000_000L));
        assertThat(settings("--stateMemory=2MiB").stateMemoryBytes(), is(2L << 20));
        assertThat(settings("--synchronousTransforms=a/b").isSynchronous("a/b/c"), is(true));
        assertThat(settings("--synchronousTransforms=a/b").isSynchronous("a/bc"), is(false));
        assertThat(settings("--asyncState=off").isSynchronous("anything"), is(true));
    }

    @Test
    void anOptionThatDoesNotExistIsRefusedByItsName() {
        RuntimeException refused = assertThrows(RuntimeException.class, () -> settings("--parallelizm=2"));
        assertThat(refused.getMessage(), containsString("parallelizm"));
    }

    @Test
    void textWhereANumberIsExpectedIsRefusedByTheOptionsName() {
        RuntimeException refused = assertThrows(RuntimeException.class, () -> settings("--parallelism=many"));
        assertThat(refused.getMessage(), containsString("many"));
    }
}
