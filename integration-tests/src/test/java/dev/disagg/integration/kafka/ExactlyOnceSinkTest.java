// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.kafka;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ExactlyOnceSinkTest {
    /** What docs/kafka.md shows. */
    private static final String MESSAGE = "dev.disagg.runner.DisaggRunner is not a runner known to be compatible with"
            + " Kafka exactly-once sink. This implementation of exactly-once sink relies on specific checkpoint"
            + " guarantees. Only the runners with known to have compatible checkpoint semantics are allowed.";

    /** By KafkaIO itself, which knows runners by their names, and before anything runs: there is no broker here. */
    @Test
    void exactlyOnceSinkIsRefusedBeforeAnythingRuns() {
        UnsupportedOperationException refused = assertThrows(
                UnsupportedOperationException.class,
                () -> CountingPipeline.main(
                        new String[] {"--runner=DisaggRunner", "--broker=127.0.0.1:1", "--exactlyOnceSink=true"}));

        assertThat(refused.getMessage(), is(MESSAGE));
    }
}
