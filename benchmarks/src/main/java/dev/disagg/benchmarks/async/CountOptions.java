// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.runner.DisaggPipelineOptions;
import org.apache.beam.sdk.options.Default;
import org.apache.beam.sdk.options.PipelineOptions;

/** What one run of the counting pipeline does; not kept in a checkpoint, so a restored run may do something else. */
public interface CountOptions extends DisaggPipelineOptions {
    /** Keys, each of which is counted once before any is drawn. */
    @Default.Integer(1_000_000)
    int getKeys();

    void setKeys(int value);

    /** Bytes of the value that a key's row has beside its count; 0 for none. */
    @Default.Integer(1000)
    int getPayloadBytes();

    void setPayloadBytes(int value);

    /** Whether to stop reading once each key was counted once. */
    @Default.Boolean(false)
    boolean getLoadOnly();

    void setLoadOnly(boolean value);

    /** Exponent of the Zipf distribution by which keys are drawn; 0 for a uniform one. */
    @Default.Double(0)
    double getZipf();

    void setZipf(double value);

    /** Share of the elements that also read an entry of a map, which nothing has read for them before. */
    @Default.Double(0)
    double getMissShare();

    void setMissShare(double value);

    /** Whether the keys are to be counted once by the run itself before it warms up: it restores nothing. */
    @Default.Boolean(false)
    boolean getFresh();

    void setFresh(boolean value);

    /** Seconds that are not measured. */
    @Default.Integer(10)
    int getWarmUpSeconds();

    void setWarmUpSeconds(int value);

    /** Elements that are not measured, unless they take more than four times {@link #getWarmUpSeconds}. */
    @Default.Long(0)
    long getWarmUpElements();

    void setWarmUpElements(long value);

    /** Seconds that are measured. */
    @Default.Integer(20)
    int getSeconds();

    void setSeconds(int value);

    /** How this run is asked for. */
    static CountOptions of(PipelineOptions options) {
        return options.as(CountOptions.class);
    }
}
