// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.ParDoSpec;
import java.util.Map;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;

/** A ParDo without state. */
final class DoNode implements Node, Receiver {
    private final DoFnHost host;

    DoNode(ParDoSpec spec, Services services, InMemoryBundleFinalizer finalizer, Map<TupleTag<?>, Receiver> receivers) {
        host = new DoFnHost(
                spec, spec.newFn(), spec.inputCoder(), spec.windowing(), services, finalizer, receivers, null, null);
    }

    @Override
    public void accept(WindowedValue<?> value) {
        host.process(host.runner(), value);
    }

    @Override
    public boolean outputsAtBundleEnd() {
        return host.hasFinishBundle();
    }

    @Override
    public void startBundle() {
        host.withMetrics(host.runner()::startBundle);
    }

    @Override
    public void finishBundle() {
        host.withMetrics(host.runner()::finishBundle);
    }

    @Override
    public void teardown() {
        host.teardown();
    }
}
