// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.DoFnSchemaInformation;
import org.apache.beam.sdk.transforms.reflect.DoFnSignature;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowingStrategy;

/**
 * All that is needed to run a DoFn.
 *
 * @param fn the user's instance; never run: {@link #newFn} makes those that are
 * @param serializedFn its serialized form
 * @param outputs collection per output tag
 * @param windowing of the main input
 */
public record ParDoSpec(
        String name,
        DoFn<?, ?> fn,
        byte[] serializedFn,
        TupleTag<?> mainOutput,
        List<TupleTag<?>> additionalOutputs,
        Map<TupleTag<?>, Integer> outputs,
        Coder<?> inputCoder,
        Map<TupleTag<?>, Coder<?>> outputCoders,
        WindowingStrategy<?, ?> windowing,
        DoFnSchemaInformation schemaInformation,
        Map<String, PCollectionView<?>> sideInputs) {

    /** Whether some method of the DoFn must see an element or timer again, the same, after any failure. */
    public boolean stableInput() {
        DoFnSignature signature = DoFnSignatures.getSignature(fn.getClass());
        DoFnSignature.OnWindowExpirationMethod expiration = signature.onWindowExpiration();
        return signature.processElement().requiresStableInput()
                || signature.onTimerMethods().values().stream()
                        .anyMatch(DoFnSignature.OnTimerMethod::requiresStableInput)
                || signature.onTimerFamilyMethods().values().stream()
                        .anyMatch(DoFnSignature.OnTimerFamilyMethod::requiresStableInput)
                || (expiration != null && expiration.requiresStableInput());
    }

    /** A fresh instance. */
    public DoFn<?, ?> newFn() {
        return (DoFn<?, ?>) SerializableUtils.deserializeFromByteArray(serializedFn, "DoFn of " + name);
    }
}
