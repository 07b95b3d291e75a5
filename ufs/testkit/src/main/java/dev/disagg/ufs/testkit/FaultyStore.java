// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.Unavailable;
import dev.disagg.ufs.testkit.CallRecorder.Kind;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A store that fails on purpose: at random from a seed, or by a crash at a given call, after which every call fails.
 * The store below it lives on, as a store does when its client dies. Closing this leaves it open. Thread-safe; a seed
 * repeats exactly when calls come from one thread.
 */
public final class FaultyStore implements ObjectStore {
    private final ObjectStore below;
    private final Faults faults;
    private final RandomGenerator random;
    private final CallRecorder recorder;
    /** Objects written and not yet shown, with the calls that still miss them; guarded by this, as what follows. */
    private final Map<String, Integer> hidden = new HashMap<>();

    private int crashAt = Integer.MAX_VALUE;
    private boolean crashAfterEffect;
    private boolean crashed;
    private int hookAt = Integer.MAX_VALUE;
    private Runnable hook = () -> {};

    /** @param random the only source of chance */
    public FaultyStore(ObjectStore below, Faults faults, RandomGenerator random, CallRecorder recorder) {
        this.below = below;
        this.faults = faults;
        this.random = random;
        this.recorder = recorder;
    }

    /** Fails at no call but, perhaps, the one given to {@link #crashAt}. */
    public static FaultyStore crashing(ObjectStore below) {
        return new FaultyStore(below, Faults.none(), () -> 0L, new CallRecorder());
    }

    /**
     * From call {@code index} (from 0) on every call fails.
     *
     * @param afterEffect whether that call still takes effect, and only its answer is lost
     */
    public synchronized FaultyStore crashAt(int index, boolean afterEffect) {
        crashAt = index;
        crashAfterEffect = afterEffect;
        return this;
    }

    /** Runs {@code other} once, just before call {@code index}: what another process does at that moment. */
    public synchronized FaultyStore beforeCall(int index, Runnable other) {
        hookAt = index;
        hook = other;
        return this;
    }

    /** From now on every call fails. */
    public synchronized void crash() {
        crashed = true;
    }

    /** Whether the crash has happened. */
    public synchronized boolean crashed() {
        return crashed;
    }

    public CallRecorder recorder() {
        return recorder;
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        return written(name, call(Kind.PUT, name, () -> below.put(name, bytes)));
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        return written(name, call(Kind.PUT_IF_ABSENT, name, () -> below.putIfAbsent(name, bytes)));
    }

    @Override
    public ObjectWriter create(String name) {
        int index = begin(Kind.CREATE, name);
        synchronized (this) {
            if (crashed || index >= crashAt) {
                crashed = true;
                throw dead(index);
            }
        }
        ObjectWriter writer = below.create(name);
        return new ObjectWriter() {
            @Override
            public void write(ByteBuffer bytes) {
                if (crashed()) {
                    throw dead(recorder.size());
                }
                writer.write(bytes);
            }

            @Override
            public long position() {
                return writer.position();
            }

            @Override
            public CompletableFuture<Void> finish() {
                return written(name, call(Kind.FINISH, name, writer::finish));
            }

            @Override
            public void close() {
                if (!crashed()) {
                    writer.close();
                }
            }
        };
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        return call(Kind.READ, name, () -> {
            if (hides(name)) {
                return CompletableFuture.failedFuture(new Invalid("there is no object '" + name + "' (shown late)"));
            }
            boolean cut = length > 0 && chance(faults.truncated());
            int most = cut ? between(length) : length;
            return below.read(name, offset, length).thenApply(bytes -> bytes.limit(bytes.position() + most));
        });
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return call(
                Kind.SIZE,
                name,
                () -> hides(name) ? CompletableFuture.completedFuture(OptionalLong.empty()) : below.size(name));
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return call(Kind.LIST, prefix, () -> below.list(prefix, startAfter, limit))
                .thenApply(page -> page.stream()
                        .filter(each -> page.size() == limit || !hides(each.name()))
                        .toList());
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        String first = names.isEmpty() ? "" : names.iterator().next();
        return call(Kind.DELETE, first, () -> below.delete(names));
    }

    @Override
    public void close() {}

    private <T> CompletableFuture<T> call(Kind kind, String name, Supplier<CompletableFuture<T>> effect) {
        int index = begin(kind, name);
        boolean lost;
        synchronized (this) {
            if (crashed || index > crashAt || index == crashAt && !crashAfterEffect) {
                crashed = true;
                recorder.fault(index, "crashed");
                return CompletableFuture.failedFuture(dead(index));
            }
            if (index == crashAt) {
                crashed = true;
                recorder.fault(index, "crashed after its effect");
                return effect.get().thenCompose(done -> CompletableFuture.failedFuture(dead(index)));
            }
            if (chance(faults.refused())) {
                recorder.fault(index, "refused");
                return CompletableFuture.failedFuture(new Unavailable("503 for '" + name + "' (call " + index + ")"));
            }
            lost = chance(faults.lost());
        }
        CompletableFuture<T> answer = effect.get();
        if (!lost) {
            return answer;
        }
        recorder.fault(index, "answer lost");
        return answer.thenCompose(done ->
                CompletableFuture.failedFuture(new Unavailable("reset after '" + name + "' (call " + index + ")")));
    }

    private int begin(Kind kind, String name) {
        int index = recorder.add(kind, name);
        Runnable other = () -> {};
        synchronized (this) {
            if (index == hookAt) {
                other = hook;
            }
        }
        other.run();
        return index;
    }

    private static Failed dead(int index) {
        return new Failed("the process is dead (call " + index + ")");
    }

    private <T> CompletableFuture<T> written(String name, CompletableFuture<T> answer) {
        synchronized (this) {
            if (faults.lateCalls() > 0 && chance(faults.late())) {
                hidden.put(name, faults.lateCalls());
            }
        }
        return answer;
    }

    private synchronized boolean hides(String name) {
        Integer left = hidden.get(name);
        if (left == null) {
            return false;
        }
        if (left == 1) {
            hidden.remove(name);
        } else {
            hidden.put(name, left - 1);
        }
        return true;
    }

    private synchronized boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private synchronized int between(int length) {
        return random.nextInt(length);
    }
}
