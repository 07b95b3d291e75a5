// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import org.apache.beam.sdk.options.Default;
import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/** Options of {@link FlightDelays}; checked by {@link FlightDelaysSettings}. */
public interface FlightDelaysOptions extends PipelineOptions {
    @Description(
            "File of packed flights to read (its format: examples/DATA.md). Default: the 3,000,000 records shipped.")
    @Nullable
    String getInput();

    void setInput(@Nullable String value);

    @Description("Directory for the results. Default: disagg-flight-delays under java.io.tmpdir.")
    @Nullable
    String getOutput();

    void setOutput(@Nullable String value);

    @Description("How many records to read, from the start of the file. Default: 0, which is all.")
    @Default.Long(0)
    long getMaxRecords();

    void setMaxRecords(long value);

    @Description("Limit of the records read in a second, over all splits. Default: 0, which is no limit.")
    @Default.Long(0)
    long getRecordsPerSecond();

    void setRecordsPerSecond(long value);

    @Description("How many splits the source makes. Default: 0, which is as many as the runner asks for.")
    @Default.Integer(0)
    int getSourceSplits();

    void setSourceSplits(int value);

    @Description("How long after an arrival a departure still connects, such as 90m or 6h; at most 48h.")
    @Default.String("6h")
    String getJoinWindow();

    void setJoinWindow(String value);

    @Description("How long after an arrival the first departure can be reached, such as 30m; less than --joinWindow.")
    @Default.String("30m")
    String getMinimumConnection();

    void setMinimumConnection(String value);

    @Description(
            "How long the arrivals of an airport are collected before they are joined, such as 1h; whole hours, at most"
                    + " 24h. It changes how often timers fire, never a result.")
    @Default.String("1h")
    String getJoinEvery();

    void setJoinEvery(String value);

    @Description("How many hours of departure share a history: 1, 2, 3, 4, 6, 8, 12 or 24.")
    @Default.Integer(1)
    int getHoursPerHistory();

    void setHoursPerHistory(int value);

    @Description(
            "Read the records as a bounded input: all of them come before any timer is due. For runners to which small"
                    + " bundles are dear, such as DirectRunner. It never changes a result.")
    @Default.Boolean(false)
    boolean isBounded();

    void setBounded(boolean value);

    @Description("How many connections are kept with each flight; 0 to 100.")
    @Default.Integer(16)
    int getOnwardFlights();

    void setOnwardFlights(int value);

    @Description("For how many days the flights of each route and hour are kept; 1 to 3650.")
    @Default.Integer(168)
    int getHistoryDays();

    void setHistoryDays(int value);

    @Description("How many days lie between two reports on the history of a route and hour; 1 to 365.")
    @Default.Integer(28)
    int getReportDays();

    void setReportDays(int value);
}
