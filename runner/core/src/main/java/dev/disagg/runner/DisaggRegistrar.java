// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import java.util.List;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsRegistrar;
import org.apache.beam.sdk.runners.PipelineRunnerRegistrar;

/** How {@code --runner=DisaggRunner} and the options are found (through {@code META-INF/services}). */
public final class DisaggRegistrar {
    private DisaggRegistrar() {}

    /** Names the runners. */
    public static final class Runner implements PipelineRunnerRegistrar {
        @Override
        public Iterable<Class<? extends PipelineRunner<?>>> getPipelineRunners() {
            return List.of(DisaggRunner.class, TestDisaggRunner.class);
        }
    }

    /** Names the options. */
    public static final class Options implements PipelineOptionsRegistrar {
        @Override
        public Iterable<Class<? extends PipelineOptions>> getPipelineOptions() {
            return List.of(DisaggPipelineOptions.class);
        }
    }
}
