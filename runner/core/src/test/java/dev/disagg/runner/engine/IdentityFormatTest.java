// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Impulse;
import org.junit.jupiter.api.Test;

/** The description of a pipeline as drawn in {@code docs/format/job-identity.md}. */
class IdentityFormatTest {
    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void thePipelinesDescriptionHasTheDrawnBytes() {
        Pipeline pipeline = Pipeline.create();
        pipeline.apply("Impulse", Impulse.create());
        StageGraph graph = Translation.translate(pipeline, 1);
        assertThat(
                HexFormat.of().formatHex(Identity.encode(graph)),
                is("01" + "00000001" + "0000000d" + hex("stage Impulse") + "00000007" + hex("impulse")));
    }
}
