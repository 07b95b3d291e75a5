// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import com.google.api.services.bigquery.model.TableRow;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.CoderProvider;
import org.apache.beam.sdk.coders.CoderProviderRegistrar;
import org.apache.beam.sdk.coders.CoderProviders;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.extensions.gcp.util.Transport;
import org.apache.beam.sdk.values.TypeDescriptor;

/** Finds a coder for {@link TableRow}, as BigQueryIO does, which would bring some hundred more libraries for it. */
public final class TableRows implements CoderProviderRegistrar {
    @Override
    public List<CoderProvider> getCoderProviders() {
        return List.of(CoderProviders.forCoder(TypeDescriptor.of(TableRow.class), new TableRowCoder()));
    }

    private static final class TableRowCoder extends AtomicCoder<TableRow> {
        private static final long serialVersionUID = 1;

        @Override
        public void encode(TableRow row, OutputStream out) throws IOException {
            StringUtf8Coder.of().encode(Transport.getJsonFactory().toString(row), out);
        }

        @Override
        public TableRow decode(InputStream in) throws IOException {
            return Transport.getJsonFactory().fromString(StringUtf8Coder.of().decode(in), TableRow.class);
        }
    }
}
