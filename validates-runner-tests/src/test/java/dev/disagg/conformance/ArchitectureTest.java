// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules that hold across modules, read from their compiled main code. */
class ArchitectureTest {

    private static final JavaClasses MAIN_CODE = new ClassFileImporter()
            .withImportOption(ArchitectureTest::isMainCode)
            .importPackages("dev.disagg");

    private static boolean isMainCode(Location location) {
        return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }

    @Test
    void everyModuleIsSeen() {
        Set<String> modules = MAIN_CODE.stream()
                .map(type -> type.getPackageName().split("\\.", 4)[2])
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(modules, equalTo(new TreeSet<>(Set.of("async", "runner", "state", "ufs"))));
    }

    /** A module may use itself and what stands in its row; anything else of ours is above it. */
    @ParameterizedTest
    @CsvSource({"ufs, ", "async, ", "state, ufs", "runner, ufs async state"})
    void dependenciesGoDownOnly(String module, String below) {
        List<String> allowed = new ArrayList<>(List.of("dev.disagg." + module + ".."));
        if (below != null) {
            for (String other : below.split(" ")) {
                allowed.add("dev.disagg." + other + "..");
            }
        }
        ArchRule rule = noClasses()
                .that(resideInAPackage("dev.disagg." + module + ".."))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.disagg..").and(not(resideInAnyPackage(allowed.toArray(String[]::new)))));

        rule.allowEmptyShould(true).check(MAIN_CODE);
    }

    @Test
    void asynchronousExecutionDependsOnTheJdkOnly() {
        classes()
                .that()
                .resideInAPackage("dev.disagg.async..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.disagg.async..", "java..", "javax..", "org.jspecify..")
                .allowEmptyShould(true)
                .check(MAIN_CODE);
    }

    @ParameterizedTest
    @CsvSource({"ufs", "async", "state", "runner"})
    void packagesOfAModuleHaveNoCycles(String module) {
        slices().matching("dev.disagg." + module + "(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(MAIN_CODE);
    }

    @Test
    void mainCodeTakesTimeChanceAndThreadsFromParameters() {
        Set<BanExceptions.Exception> used = new HashSet<>();
        List<String> broken = new ArrayList<>();
        for (JavaClass caller : MAIN_CODE) {
            broken.addAll(bansBrokenBy(caller, used));
        }
        broken.sort(Comparator.naturalOrder());

        assertThat("banned calls; see BanExceptions for the classes that may", broken, empty());
        List<BanExceptions.Exception> unused = BanExceptions.ALL.stream()
                .filter(exception -> !used.contains(exception))
                .toList();
        assertThat("exceptions that except nothing", unused, empty());
    }

    @Test
    void eachBanIsSeenInCodeThatBreaksIt() {
        JavaClass offender = new ClassFileImporter().importClass(Offender.class);

        assertThat(bansBrokenBy(offender, new HashSet<>()), hasSize(Offender.BANNED_CALLS));
    }

    private static List<String> bansBrokenBy(JavaClass caller, Set<BanExceptions.Exception> used) {
        List<String> broken = new ArrayList<>();
        List<JavaCodeUnitAccess<?>> accesses = new ArrayList<>(caller.getCodeUnitAccessesFromSelf());
        accesses.addAll(caller.getMethodReferencesFromSelf());
        accesses.addAll(caller.getConstructorReferencesFromSelf());
        for (JavaCodeUnitAccess<?> access : new HashSet<>(accesses)) {
            for (Ban ban : Ban.ALL) {
                if (!ban.calls().test(access.getTarget())) {
                    continue;
                }
                List<BanExceptions.Exception> exceptions = BanExceptions.ALL.stream()
                        .filter(exception -> exception.covers(caller, ban))
                        .toList();
                used.addAll(exceptions);
                if (exceptions.isEmpty()) {
                    broken.add(ban.name() + ": " + access.getTarget().getFullName() + " in "
                            + access.getSourceCodeLocation() + "; " + ban.instead());
                }
            }
        }
        return broken;
    }

    /** What must be found, and beside it what must not. */
    @SuppressWarnings("unused")
    private static final class Offender {

        private static final int BANNED_CALLS = 12;

        void banned() throws InterruptedException {
            System.nanoTime();
            Instant.now();
            Thread.sleep(1);
            TimeUnit.SECONDS.sleep(1);
            new Thread(() -> {});
            Executors.newCachedThreadPool();
            new Random();
            UUID.randomUUID();
            ThreadLocalRandom.current();
            CompletableFuture.runAsync(() -> {});
            new CompletableFuture<String>().thenApplyAsync(String::length);
            java.util.function.LongSupplier reference = System::currentTimeMillis;
        }

        void allowed() {
            Instant.now(java.time.Clock.fixed(Instant.EPOCH, java.time.ZoneOffset.UTC));
            new Random(1);
            CompletableFuture.runAsync(() -> {}, Runnable::run);
            Executors.newCachedThreadPool(runnable -> null);
            Thread.currentThread().interrupt();
        }
    }
}
