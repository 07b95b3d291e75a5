// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.state.StateBackends;
import dev.disagg.ufs.Invalid;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.jspecify.annotations.Nullable;

/**
 * The options of one run, checked and parsed. Immutable.
 *
 * @param stateUri root of the object store, or empty for a fresh directory
 * @param stateMemoryBytes memory for state in this process
 * @param localDirectory for backends that keep files on local disk; empty for the directory of temporary files
 * @param checkpointInterval empty for the default (by boundedness); zero for off
 * @param restore empty for none
 * @param smallPaneBytes up to which a pane of a side input is handed over by value
 * @param delayedReads seed of the delayed-read test mode, or empty
 */
public record Settings(
        String jobName,
        Optional<String> stateUri,
        String stateBackend,
        long stateMemoryBytes,
        Optional<String> localDirectory,
        int parallelism,
        boolean asyncState,
        int maxInFlightComputations,
        int maxParkedComputations,
        Duration slowCallTime,
        Duration maxCallTime,
        Set<String> synchronousTransforms,
        int maxBundleElements,
        Duration maxBundleTime,
        Optional<Duration> checkpointInterval,
        Duration checkpointTimeout,
        int retainedCheckpoints,
        Optional<String> restore,
        boolean keepState,
        boolean explain,
        boolean copyElements,
        int smallPaneBytes,
        Duration stateLatency,
        Duration progressInterval,
        Optional<Long> delayedReads) {

    private static final int MAX_PARALLELISM = 32768;
    private static final int MOST_INLINE_BYTES = 256 << 20;
    private static final long MAX_BUNDLE_MILLIS = 86_400_000;
    /** The backend whose files are on local disk. */
    private static final String LOCAL_BACKEND = "rocksdb";

    /** Parses and checks; all violations are reported in one {@link Invalid}. */
    public static Settings of(DisaggPipelineOptions options) {
        Check check = new Check();
        check.notYet("--flinkMaster", options.getFlinkMaster(), "leave it out: pipelines run in this process");
        check.notYet("--autoscale", options.getAutoscale(), "set --parallelism");
        check.notYet("--templateLocation", options.getTemplateLocation(), "run the pipeline's main class");
        check.notYet("--webPort", options.getWebPort(), "use --progressInterval");
        check.notYet("--savepoint", options.getSavepoint(), "use --restore with a retained checkpoint");
        check.oneOf("--engine", options.getEngine(), List.of("embedded"), List.of("flink"));
        check.backend(options.getStateBackend());
        check.localDirectory(options.getStateCacheDir(), options.getStateBackend());
        check.oneOf("--checkpointMode", options.getCheckpointMode(), List.of("aligned"), List.of("unaligned"));
        check.oneOf("--asyncState", options.getAsyncState(), List.of("on", "off"), List.of());
        String jobName = options.getJobName();
        if (!jobName.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,199}")) {
            check.add("--jobName=" + jobName + ": use letters, digits, '.', '_' and '-' only, at most 200");
        }
        Set<String> given = given(options);
        check.ofCache("--stateCacheBytes", given.contains("stateCacheBytes"));
        check.ofCache("--stateCacheLoadThreshold", given.contains("stateCacheLoadThreshold"));
        if (options.getRestore() != null) {
            check.restore(options.getRestore(), options.getStateUri() != null, given.contains("jobName"));
        }
        Settings settings = new Settings(
                jobName,
                Optional.ofNullable(options.getStateUri()),
                options.getStateBackend(),
                options.getStateMemory() == null
                        ? Runtime.getRuntime().maxMemory() / 4
                        : check.atLeast(
                                "--stateMemory", check.bytes("--stateMemory", options.getStateMemory()), 1 << 20),
                Optional.ofNullable(options.getStateCacheDir()),
                options.getParallelism() == null
                        ? Runtime.getRuntime().availableProcessors()
                        : check.within("--parallelism", options.getParallelism(), 1, MAX_PARALLELISM),
                options.getAsyncState().equals("on"),
                check.within("--maxInFlightComputations", options.getMaxInFlightComputations(), 1, 10_000_000),
                check.within("--maxParkedComputations", options.getMaxParkedComputations(), 1, 100_000),
                check.positive("--slowCallTime", options.getSlowCallTime()),
                check.durationOrOff("--maxCallTime", options.getMaxCallTime()),
                options.getSynchronousTransforms() == null ? Set.of() : Set.copyOf(options.getSynchronousTransforms()),
                check.within("--maxBundleElements", options.getMaxBundleElements(), 1, Integer.MAX_VALUE),
                Duration.ofMillis(
                        check.within("--maxBundleMillis", options.getMaxBundleMillis(), 1, MAX_BUNDLE_MILLIS)),
                Optional.ofNullable(options.getCheckpointInterval())
                        .map(text -> check.durationOrOff("--checkpointInterval", text)),
                check.positive("--checkpointTimeout", options.getCheckpointTimeout()),
                check.within("--retainedCheckpoints", options.getRetainedCheckpoints(), 1, 10_000),
                Optional.ofNullable(options.getRestore()),
                options.isKeepState(),
                options.isExplain(),
                options.isCopyElements(),
                check.within("--sideInputInlineBytes", options.getSideInputInlineBytes(), 0, MOST_INLINE_BYTES),
                check.duration("--stateLatency", options.getStateLatency()),
                check.durationOrOff("--progressInterval", options.getProgressInterval()),
                Optional.ofNullable(options.getDelayedReads()));
        check.throwIfAny();
        return settings;
    }

    /**
     * The names of the options that were set by the user: their display data, as Beam has it, tells a default from a value
     * that equals it, also for {@code jobName}, whose default differs in each run.
     */
    private static Set<String> given(DisaggPipelineOptions options) {
        return DisplayData.from(options).items().stream()
                .map(DisplayData.Item::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether this transform must run one element at a time. */
    public boolean isSynchronous(String transformName) {
        return !asyncState || synchronousTransforms.stream().anyMatch(name -> isOrIsIn(transformName, name));
    }

    /**
     * Checks {@code --synchronousTransforms} against the pipeline.
     *
     * @param transforms the full names of its transforms that run
     * @throws Invalid when a name is of none
     */
    void checkTransforms(Collection<String> transforms) {
        List<String> unknown = synchronousTransforms.stream()
                .filter(name -> transforms.stream().noneMatch(transform -> isOrIsIn(transform, name)))
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            throw new Invalid("--synchronousTransforms: the pipeline has no transform " + String.join(", ", unknown)
                    + "; it has\n  "
                    + transforms.stream().sorted().distinct().collect(Collectors.joining("\n  ")));
        }
    }

    private static boolean isOrIsIn(String transform, String name) {
        return transform.equals(name) || transform.startsWith(name + "/");
    }

    /** Collects violations, so that the user sees all of them at once. */
    private static final class Check {
        private final List<String> violations = new ArrayList<>();

        void add(String violation) {
            violations.add(violation);
        }

        void notYet(String option, @Nullable Object value, String remedy) {
            if (value != null) {
                add(option + "=" + value + ": not available in this version; " + remedy);
            }
        }

        void oneOf(String option, String value, List<String> known, List<String> later) {
            if (later.contains(value)) {
                add(option + "=" + value + ": not available in this version; use " + String.join(" or ", known));
            } else if (!known.contains(value)) {
                add(option + "=" + value + ": unknown; use " + String.join(" or ", known));
            }
        }

        void backend(String name) {
            try {
                StateBackends.named(name);
            } catch (Invalid e) {
                add(String.valueOf(e.getMessage()));
            }
        }

        void localDirectory(@Nullable String directory, String backend) {
            if (directory == null) {
                return;
            }
            if (!backend.equals(LOCAL_BACKEND)) {
                notYet("--stateCacheDir", directory, "raise --stateMemory, or use --stateBackend=" + LOCAL_BACKEND);
                return;
            }
            try {
                if (directory.isBlank() || Files.exists(Path.of(directory)) && !Files.isDirectory(Path.of(directory))) {
                    add("--stateCacheDir=" + directory + ": must be a directory on a local disk");
                }
            } catch (InvalidPathException e) {
                add("--stateCacheDir=" + directory + ": not a path: " + e.getReason());
            }
        }

        void ofCache(String option, boolean given) {
            if (given) {
                add(option
                        + " is about a cache in --stateCacheDir, which is not available in this version; leave it out");
            }
        }

        void restore(String restore, boolean hasStateUri, boolean hasJobName) {
            if (restore.contains("://")) {
                add("--restore=" + restore
                        + ": the URI of a checkpoint is not available in this version; use auto, latest, or the"
                        + " number of a checkpoint of this job");
            } else if (!restore.matches("auto|latest|\\d{1,18}")) {
                add("--restore=" + restore + ": use auto, latest, or the number of a checkpoint of this job");
            }
            if (!hasStateUri || !hasJobName) {
                String missing = hasStateUri ? "--jobName" : hasJobName ? "--stateUri" : "--stateUri and --jobName";
                add("--restore=" + restore + " needs " + missing + ": without "
                        + (hasStateUri || hasJobName ? "it" : "them")
                        + " each run has a place of its own, and there would be nothing to restore");
            }
        }

        long within(String option, long value, long least, long most) {
            if (value < least || value > most) {
                add(option + "=" + value + ": must be " + least + " to " + most);
                return least;
            }
            return value;
        }

        int within(String option, int value, int least, int most) {
            if (value < least || value > most) {
                add(option + "=" + value + ": must be " + least + " to " + most);
            }
            return value;
        }

        long atLeast(String option, long value, long least) {
            if (value < least) {
                add(option + "=" + value + ": must be at least " + least);
            }
            return value;
        }

        Duration duration(String option, String text) {
            try {
                return Quantities.duration(text);
            } catch (Invalid e) {
                add(option + "=" + text + ": " + e.getMessage());
                return Duration.ZERO;
            }
        }

        Duration positive(String option, String text) {
            int before = violations.size();
            Duration duration = duration(option, text);
            if (duration.isZero() && violations.size() == before) {
                add(option + "=" + text + ": must be more than 0");
            }
            return duration;
        }

        Duration durationOrOff(String option, String text) {
            return text.equals("off") ? Duration.ZERO : duration(option, text);
        }

        long bytes(String option, String text) {
            try {
                return Quantities.bytes(text);
            } catch (Invalid e) {
                add(option + "=" + text + ": " + e.getMessage());
                return Long.MAX_VALUE;
            }
        }

        void throwIfAny() {
            if (!violations.isEmpty()) {
                throw new Invalid("These options can not be used:\n  " + String.join("\n  ", violations));
            }
        }
    }
}
