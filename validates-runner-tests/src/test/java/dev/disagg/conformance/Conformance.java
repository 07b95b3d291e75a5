// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.runners.PipelineRunnerRegistrar;

/**
 * What {@code ./dev conformance [options]} runs, in the module's directory; with {@code --matrix} alone it runs nothing, and brings the capability matrix up to date. Exit code 0: as expected; 1: not; 2: wrong options.
 */
public final class Conformance {

    private static final int OUTCOMES_PER_PROGRESS_LINE = 50;

    private Conformance() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 1 && arguments[0].equals("--matrix")) {
            MatrixPage.write(ConformanceOptions.defaults().directory());
            System.exit(0);
        }
        ConformanceOptions options;
        try {
            options = ConformanceOptions.defaults().with(Arrays.asList(arguments));
            requireRunner(options.runner());
        } catch (IllegalArgumentException e) {
            System.err.println("conformance: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(run(options, System.out) ? 0 : 1);
    }

    private static boolean run(ConformanceOptions options, PrintStream out) throws IOException, InterruptedException {
        ExpectedFailures expected = ExpectedFailures.of(options.runner());
        Suite whole = Suite.whole();
        Suite chosen = whole.select(options.selection());
        if (chosen.tests().isEmpty()) {
            out.println("conformance: no test is chosen by these options");
            return false;
        }
        AtomicInteger done = new AtomicInteger();
        SuiteRun run = SuiteRun.run(chosen, Needs.read(Needs.FILE), expected, options, outcome -> {
            if (done.incrementAndGet() % OUTCOMES_PER_PROGRESS_LINE == 0) {
                out.println(done.get() + " of " + chosen.tests().size());
            }
        });
        Verdict verdict = Verdict.of(run, whole, expected, options.configuration());
        verdict.complaints().forEach(out::println);
        verdict.summary().forEach(out::println);
        return verdict.complaints().isEmpty();
    }

    /** One clear message instead of 393 failures when the runner is not there. */
    static void requireRunner(String name) {
        for (PipelineRunnerRegistrar registrar : ServiceLoader.load(PipelineRunnerRegistrar.class)) {
            for (Class<?> runner : registrar.getPipelineRunners()) {
                if (runner.getSimpleName().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                    return;
                }
            }
        }
        throw new IllegalArgumentException("no runner on the class path is called '" + name
                + "'; --runner=DirectRunner validates the harness itself");
    }
}
