// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import dev.disagg.runner.DisaggRunner;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/**
 * DisaggRunner for programs that take no options: they run on the class that has DirectRunner's name. {@link #loader()}
 * finds this class under that name.
 */
public final class InPlaceOfDirectRunner extends PipelineRunner<PipelineResult> {
    private static final String NAME = "org.apache.beam.runners.direct.DirectRunner";
    /** The options of the runner, separated by spaces. Properties, since the renamed class is another one than this. */
    static final String OPTIONS = "disagg.test.runnerOptions";

    /** Set to the job's name by each run: what shows that a program ran on this and not on DirectRunner. */
    static final String RAN = "disagg.test.ranJob";

    private final PipelineOptions options;

    private InPlaceOfDirectRunner(PipelineOptions options) {
        this.options = options;
    }

    /** The context class loader with which a program runs on DisaggRunner. */
    static ClassLoader loader() {
        return new ByteBuddy()
                .redefine(InPlaceOfDirectRunner.class)
                .name(NAME)
                .make()
                .load(InPlaceOfDirectRunner.class.getClassLoader(), ClassLoadingStrategy.Default.CHILD_FIRST)
                .getLoaded()
                .getClassLoader();
    }

    /** How Beam makes a runner. */
    public static InPlaceOfDirectRunner fromOptions(PipelineOptions options) {
        return new InPlaceOfDirectRunner(options);
    }

    /** Waits for the end, as DirectRunner does. */
    @Override
    public PipelineResult run(Pipeline pipeline) {
        String[] args = System.getProperty(OPTIONS, "").split(" ");
        PipelineOptions own = PipelineOptionsFactory.fromArgs(args).create();
        own.setJobName(options.getJobName());
        PipelineResult result = DisaggRunner.fromOptions(own).run(pipeline);
        result.waitUntilFinish();
        System.setProperty(RAN, options.getJobName());
        return result;
    }
}
