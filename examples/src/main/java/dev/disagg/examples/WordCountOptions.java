// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/** Options of {@link WordCount}. */
public interface WordCountOptions extends PipelineOptions {
    @Description("File or pattern of files with text to read. Default: Moby-Dick, which is shipped.")
    @Nullable
    String getInput();

    void setInput(@Nullable String value);

    @Description("Directory for the counts. Default: disagg-word-count under java.io.tmpdir.")
    @Nullable
    String getOutput();

    void setOutput(@Nullable String value);
}
