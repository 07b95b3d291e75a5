// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.runner.state.Reads;
import dev.disagg.runner.state.StepState;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.beam.runners.core.StateInternals;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.State;
import org.apache.beam.sdk.state.StateContext;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of one key that is in memory only during an operation: each one binds the key, does what it does on a fresh state object, and lets the key go, whose cells are
 * then evicted. Namespaces of any kind are taken for windows. Not thread-safe.
 */
final class EvictedState implements StateInternals, AutoCloseable {

    private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);

    /** What answers with how things were when it was asked, whenever its answer is read. */
    private static final Set<String> AS_OF_THE_CALL =
            Set.of("contains", "putIfAbsent", "addIfAbsent", "computeIfAbsent");

    /** Enough visits of the clock for whatever was used. */
    private static final int SWEEPS = 4;

    private final TaskState cells;
    private final StepState step;
    private final Map<StateNamespace, IntervalWindow> windows = new HashMap<>();
    private final Map<List<Object>, State> handedOut = new HashMap<>();

    EvictedState(StateBackend backend) {
        cells = TaskState.open(
                backend.open("task", KeyRange.ALL, List.of()).join(), TaskStateOptions.DEFAULT.withCacheBytes(0));
        step = new StepState("step", cells, IntervalWindow.getCoder(), new Joining());
    }

    /** Cells that were read because they were not in memory. */
    long fetches() {
        return cells.metrics().fetches();
    }

    @Override
    public void close() {
        cells.close();
    }

    @Override
    public @Nullable Object getKey() {
        return "key";
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends State> T state(StateNamespace namespace, StateTag<T> tag, StateContext<?> context) {
        StateNamespace window = StateNamespaces.window(
                IntervalWindow.getCoder(),
                windows.computeIfAbsent(
                        namespace, any -> new IntervalWindow(Instant.EPOCH, Duration.millis(1 + windows.size()))));
        return (T) handedOut.computeIfAbsent(
                List.of(namespace, tag), any -> proxy(() -> step.state(window, tag, context), State.class));
    }

    /** Something on which each call is a body of its own. */
    private interface Source {
        Object get();
    }

    private <T> T proxy(Source source, Class<T> kind) {
        Class<?>[] interfaces = body(() -> interfacesOf(source.get().getClass()));
        InvocationHandler handler = (self, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> "evicted " + kind.getSimpleName();
                };
            }
            return body(() -> result(self, source, method, arguments));
        };
        return kind.cast(Proxy.newProxyInstance(getClass().getClassLoader(), interfaces, handler));
    }

    private @Nullable Object result(Object self, Source source, Method method, Object @Nullable [] arguments) {
        Object target = source.get();
        Object result = call(target, method, arguments);
        if (result == target) {
            return self;
        }
        if (result instanceof ReadableState<?> readable) {
            return AS_OF_THE_CALL.contains(method.getName())
                    ? readable
                    : proxy(() -> nonNull(call(source.get(), method, arguments)), ReadableState.class);
        }
        return copied(result);
    }

    private static Object nonNull(@Nullable Object value) {
        if (value == null) {
            throw new AssertionError("state answered with null where there is something to be read later");
        }
        return value;
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new AssertionError(method + " failed", e.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** What is read page by page is read to its end while the key is bound. */
    private static @Nullable Object copied(@Nullable Object value) {
        if (value instanceof Iterable<?> items) {
            List<Object> copy = new ArrayList<>();
            items.forEach(copy::add);
            return copy;
        }
        return value;
    }

    private <T extends @Nullable Object> T body(Supplier<T> body) {
        KeyEntry entry = cells.key(KeyHash.of(KEY), KEY);
        entry.pin();
        step.bind(entry, "key");
        try {
            T result = body.get();
            step.finishBody();
            return result;
        } finally {
            step.bind(null, null);
            entry.unpin();
            for (int sweep = 0; sweep < SWEEPS; sweep++) {
                cells.maintain();
            }
        }
    }

    private static Class<?>[] interfacesOf(Class<?> type) {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            all.addAll(List.of(at.getInterfaces()));
        }
        return all.toArray(Class<?>[]::new);
    }

    private static final class Joining implements Reads {
        @Override
        public <T> T await(CompletableFuture<T> read) {
            return read.join();
        }

        @Override
        public void beforeRead() {}

        @Override
        public void check() {}
    }
}
