// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Brings {@code docs/capability-matrix.md} up to date: what {@code ./dev conformance --matrix} does, in the module's directory. */
final class MatrixPage {

    private static final Path PROJECT = Path.of("..");

    private MatrixPage() {}

    /** The matrix of what is recorded now. */
    static CapabilityMatrix read() throws IOException {
        return of(Recorded.read(Recorded.FILE));
    }

    private static CapabilityMatrix of(Recorded recorded) throws IOException {
        return new CapabilityMatrix(
                recorded,
                MatrixRow.read(MatrixRow.FILE),
                OtherRunners.read(OtherRunners.FILE),
                Suite.whole(),
                ExpectedFailures.of(ConformanceOptions.defaults().runner()));
    }

    /** Records the outcomes of the last passes, and of this project's last tests, as far as there are any, and writes the page. */
    static void write(Path results) throws IOException {
        Recorded recorded = Recorded.read(Recorded.FILE);
        for (Configuration configuration : Configuration.values()) {
            Path table = results.resolve(configuration.passName() + ".tsv");
            if (Files.exists(table)) {
                List<Outcome> pass = Files.readAllLines(table).stream()
                        .skip(1)
                        .map(Outcome::parse)
                        .toList();
                recorded = recorded.with(configuration, pass, Suite.whole());
            }
        }
        recorded = recorded.withOwn(own(recorded));
        Files.write(Recorded.FILE, recorded.lines());
        Files.writeString(CapabilityMatrix.PAGE, of(recorded).text());
    }

    /** Of the own tests that rows name: how they ended last, or what is recorded when they have not run since the build was cleaned. */
    private static Map<String, Status> own(Recorded recorded) throws IOException {
        Map<String, Status> known = new TreeMap<>();
        for (String test : recorded.tests(Recorded.OWN)) {
            recorded.outcome(Recorded.OWN, test, Configuration.DEFAULTS).ifPresent(status -> known.put(test, status));
        }
        known.putAll(OwnTests.lastRun(PROJECT));
        List<String> sources = OwnTests.inSources(PROJECT);
        known.keySet().removeIf(test -> !sources.contains(test.replaceFirst("^.*\\.", "")));
        Recorded all = Recorded.empty().withOwn(known);
        Map<String, Status> named = new TreeMap<>();
        for (MatrixRow row : MatrixRow.read(MatrixRow.FILE)) {
            for (Proof proof : row.proofs()) {
                if (proof.isOwn()) {
                    proof.tests(all).forEach(key -> named.put(key.test(), known.get(key.test())));
                }
            }
        }
        return named;
    }
}
