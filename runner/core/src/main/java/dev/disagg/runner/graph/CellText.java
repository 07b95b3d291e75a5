// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.jspecify.annotations.Nullable;

/** Descriptions of coders and state cells that are the same in every run of one program. */
final class CellText {
    /** Where a class has no {@code toString} of its own, the JDK appends a number that differs in each process. */
    private static final Pattern IDENTITY_HASH = Pattern.compile("@[0-9a-f]{1,8}\\b");

    private CellText() {}

    static String coder(@Nullable Coder<?> coder) {
        return coder == null
                ? "the coder of its type"
                : IDENTITY_HASH.matcher(coder.toString()).replaceAll("");
    }

    /** Per state id of a DoFn, the kind of the cell and its coders. */
    static Map<String, String> cells(DoFn<?, ?> fn) {
        Map<String, String> cells = new TreeMap<>();
        DoFnSignatures.getSignature(fn.getClass())
                .stateDeclarations()
                .forEach((id, declaration) -> cells.put(
                        id, DoFnSignatures.getStateSpecOrThrow(declaration, fn).match(new Kind())));
        return cells;
    }

    private static final class Kind implements StateSpec.Cases<String> {
        @Override
        public String dispatchValue(Coder<?> valueCoder) {
            return "value, " + coder(valueCoder);
        }

        @Override
        public String dispatchBag(Coder<?> elementCoder) {
            return "bag, " + coder(elementCoder);
        }

        @Override
        public String dispatchOrderedList(Coder<?> elementCoder) {
            return "ordered list, " + coder(elementCoder);
        }

        @Override
        public String dispatchCombining(Combine.CombineFn<?, ?, ?> combineFn, Coder<?> accumCoder) {
            return "combining, " + coder(accumCoder);
        }

        @Override
        public String dispatchMap(Coder<?> keyCoder, Coder<?> valueCoder) {
            return "map, " + coder(keyCoder) + ", " + coder(valueCoder);
        }

        @Override
        public String dispatchSet(Coder<?> elementCoder) {
            return "set, " + coder(elementCoder);
        }

        @Override
        public String dispatchMultimap(Coder<?> keyCoder, Coder<?> valueCoder) {
            return "multimap, " + coder(keyCoder) + ", " + coder(valueCoder);
        }
    }
}
