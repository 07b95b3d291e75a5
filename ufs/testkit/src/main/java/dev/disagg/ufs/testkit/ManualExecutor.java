// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Work runs when the test says so, on the test's thread. */
public final class ManualExecutor implements Executor {
    private final List<Runnable> waiting = new ArrayList<>();

    @Override
    public void execute(Runnable work) {
        waiting.add(work);
    }

    public boolean runOne(RandomGenerator random) {
        if (waiting.isEmpty()) {
            return false;
        }
        waiting.remove(random.nextInt(waiting.size())).run();
        return true;
    }

    public void runAll() {
        while (!waiting.isEmpty()) {
            waiting.remove(0).run();
        }
    }
}
