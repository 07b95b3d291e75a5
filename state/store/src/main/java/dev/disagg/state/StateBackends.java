// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import dev.disagg.ufs.Invalid;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The state backends on the class path. Thread-safe. */
public final class StateBackends {
    /** Those of this project that are artifacts of their own. */
    private static final Map<String, String> ARTIFACTS = Map.of("rocksdb", "disagg-state-rocksdb");

    private StateBackends() {}

    /**
     * The provider of this name.
     *
     * @throws Invalid when there is none; names the artifact to add, or the backends that there are
     */
    public static StateBackendProvider named(String name) {
        Map<String, StateBackendProvider> available = available();
        StateBackendProvider found = available.get(name);
        if (found != null) {
            return found;
        }
        String artifact = ARTIFACTS.get(name);
        throw new Invalid(
                artifact == null
                        ? "--stateBackend=" + name + ": unknown; use " + String.join(" or ", available.keySet())
                        : "--stateBackend=" + name + " needs the module " + artifact
                                + " on the class path: add the dependency dev.disagg:" + artifact
                                + ":<version>, of the version of disagg-runner; or use "
                                + String.join(" or ", available.keySet()));
    }

    private static Map<String, StateBackendProvider> available() {
        Map<String, StateBackendProvider> available = new TreeMap<>();
        for (StateBackendProvider provider : ServiceLoader.load(StateBackendProvider.class, loader())) {
            available.put(provider.name(), provider);
        }
        return available;
    }

    private static ClassLoader loader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : StateBackends.class.getClassLoader();
    }
}
