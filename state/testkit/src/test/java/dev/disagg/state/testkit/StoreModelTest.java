// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.ufs.testkit.ManualExecutor;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.Random;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same random histories give the right answers on every backend and with every shape of tree. */
class StoreModelTest {
    private static final int STEPS = Integer.getInteger("history.steps", 2000);
    private static final long SEEDS = Long.getLong("history.seeds", 4);
    private static final long FIRST_SEED = Long.getLong("history.seed", 1);

    enum Shape {
        HEAP,
        DISAGG_TINY,
        DISAGG_OWN_OBJECTS,
        DISAGG_SMALL_TABLES,
        DISAGG_NEVER_FULL,
        DISAGG_GATHERING,
        DISAGG_GATHERING_ALL,
        BOTH_IN_TURN;

        StateBackend backend(MemoryUfs ufs, ManualExecutor background, RandomGenerator random) {
            return switch (this) {
                case HEAP -> new HeapBackend(ufs, background);
                case DISAGG_TINY ->
                    new LsmBackend(ufs, SmallTrees.of(500 + random.nextInt(20_000), 2000, 4000, 2), background);
                case DISAGG_OWN_OBJECTS -> new LsmBackend(ufs, SmallTrees.of(8000, 1, 3000, 3), background);
                case DISAGG_SMALL_TABLES -> new LsmBackend(ufs, SmallTrees.of(30_000, 1 << 20, 600, 2), background);
                case DISAGG_NEVER_FULL ->
                    new LsmBackend(ufs, SmallTrees.of(100 << 20, 1 << 20, 1 << 20, 4), background);
                case DISAGG_GATHERING ->
                    new LsmBackend(
                            ufs,
                            SmallTrees.gathering(
                                    2000 + random.nextInt(60_000), 2000, 500 + random.nextInt(4000), 4000, 2),
                            background);
                case DISAGG_GATHERING_ALL ->
                    new LsmBackend(ufs, SmallTrees.gathering(100 << 20, 1 << 20, 1 << 20, 1 << 20, 3), background);
                case BOTH_IN_TURN -> (random.nextBoolean() ? HEAP : DISAGG_TINY).backend(ufs, background, random);
            };
        }
    }

    static Stream<Arguments> histories() {
        return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS)
                .boxed()
                .flatMap(seed -> Stream.of(Shape.values()).map(shape -> Arguments.of(seed, shape)));
    }

    /** Replay one with {@code -Dhistory.seed=N -Dhistory.seeds=1}. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("histories")
    void everyAnswerIsTheModels(long seed, Shape shape) {
        Random random = new Random(seed);
        MemoryUfs ufs = new MemoryUfs();
        ManualExecutor background = new ManualExecutor();
        Supplier<StateBackend> backends = () -> shape.backend(ufs, background, random);
        new StoreHistory(random, ufs, background, 90, backends).run(STEPS);
    }
}
