// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * Something that main code may not call, because it takes time, chance or a thread from the machine and not from a parameter: a run that does cannot be replayed.
 *
 * @param name how exceptions refer to it
 * @param instead what to do
 * @param calls which calls it covers
 */
record Ban(String name, String instead, Predicate<CodeUnitAccessTarget> calls) {

    static final Ban CLOCK = new Ban(
            "clock",
            "take a Clock, InstantSource or LongSupplier",
            call("java.lang.System", "currentTimeMillis", "nanoTime")
                    .or(call(
                            "java.time.Clock",
                            "system",
                            "systemUTC",
                            "systemDefaultZone",
                            "tickMillis",
                            "tickSeconds",
                            "tickMinutes"))
                    .or(call("java.time.InstantSource", "system"))
                    .or(withoutArguments("java.time.Instant", "now"))
                    .or(withoutArguments("java.time.LocalDate", "now"))
                    .or(withoutArguments("java.time.LocalDateTime", "now"))
                    .or(withoutArguments("java.time.ZonedDateTime", "now"))
                    .or(withoutArguments("java.time.OffsetDateTime", "now"))
                    .or(withoutArguments("java.util.Date", "<init>"))
                    .or(withoutArguments("org.joda.time.Instant", "<init>", "now"))
                    .or(withoutArguments("org.joda.time.DateTime", "<init>", "now"))
                    .or(call("org.joda.time.DateTimeUtils", "currentTimeMillis")));

    static final Ban SLEEP = new Ban(
            "sleep",
            "wait for an event, with a bound, or schedule on the injected scheduler",
            call("java.lang.Thread", "sleep").or(call("java.util.concurrent.TimeUnit", "sleep")));

    static final Ban THREAD = new Ban(
            "thread",
            "take an Executor or a ThreadFactory",
            ((Predicate<CodeUnitAccessTarget>) target -> target.getOwner().isAssignableTo(Thread.class)
                            && List.of("<init>", "start", "startVirtualThread", "ofVirtual", "ofPlatform")
                                    .contains(target.getName()))
                    .or(call("java.util.Timer", "<init>"))
                    .or(target -> target.getOwner().isEquivalentTo(java.util.concurrent.Executors.class)
                            && target.getName().startsWith("new")
                            && !has(target, java.util.concurrent.ThreadFactory.class)));

    static final Ban CHANCE = new Ban(
            "chance",
            "take a seed or a RandomGenerator",
            call("java.lang.Math", "random")
                    .or(call("java.util.UUID", "randomUUID"))
                    .or(call("java.util.concurrent.ThreadLocalRandom", "current"))
                    .or(call("java.security.SecureRandom", "<init>", "getInstanceStrong", "getInstance"))
                    .or(call("java.util.random.RandomGenerator", "getDefault"))
                    .or(withoutArguments("java.util.Random", "<init>"))
                    .or(withoutArguments("java.util.SplittableRandom", "<init>"))
                    .or(target -> target.getFullName().equals("java.util.Collections.shuffle(java.util.List)")));

    static final Ban DEFAULT_EXECUTOR = new Ban(
            "default executor",
            "pass the executor",
            call("java.util.concurrent.ForkJoinPool", "commonPool")
                    .or(call(
                            "java.util.concurrent.CompletableFuture",
                            "delayedExecutor",
                            "orTimeout",
                            "completeOnTimeout"))
                    .or(target ->
                            List.of("java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage")
                                            .contains(target.getOwner().getName())
                                    && target.getName().endsWith("Async")
                                    && !has(target, Executor.class))
                    .or(target -> target.getName().equals("parallelStream")
                            && target.getOwner().isAssignableTo(java.util.Collection.class))
                    .or(target -> target.getName().equals("parallel")
                            && target.getOwner().isAssignableTo(java.util.stream.BaseStream.class)));

    static final List<Ban> ALL = List.of(CLOCK, SLEEP, THREAD, CHANCE, DEFAULT_EXECUTOR);

    private static Predicate<CodeUnitAccessTarget> call(String owner, String... names) {
        return target ->
                target.getOwner().getName().equals(owner) && List.of(names).contains(target.getName());
    }

    private static Predicate<CodeUnitAccessTarget> withoutArguments(String owner, String... names) {
        return call(owner, names).and(target -> target.getRawParameterTypes().isEmpty());
    }

    private static boolean has(CodeUnitAccessTarget target, Class<?> parameter) {
        return target.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(parameter));
    }
}
