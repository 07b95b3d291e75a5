// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;

/** The one list of classes that may do what is banned, because they are the source from which the others are given it. */
final class BanExceptions {

    /**
     * @param className binary name; classes nested in it are meant too
     * @param ban what it may do
     * @param reason why it is the right place
     */
    record Exception(String className, Ban ban, String reason) {

        boolean covers(JavaClass caller, Ban broken) {
            String name = caller.getName();
            return ban.equals(broken) && (name.equals(className) || name.startsWith(className + "$"));
        }
    }

    /** Add a line with a reason; a line that excepts nothing fails the test, so that the list stays true. */
    static final List<Exception> ALL = List.of(
            new Exception("dev.disagg.async.FactoryThreads", Ban.THREAD, "where the threads of tasks are made"),
            new Exception("dev.disagg.async.sim.Simulation", Ban.THREAD, "its threads are what it simulates with"),
            new Exception("dev.disagg.runner.engine.EngineTime", Ban.CLOCK, "the clocks of a job"),
            new Exception(
                    "dev.disagg.runner.engine.JobStore",
                    Ban.CHANCE,
                    "names that no other process may ever choose come from the system's entropy"),
            new Exception("dev.disagg.ufs.SystemThreads", Ban.CLOCK, "the clocks of stores"),
            new Exception("dev.disagg.ufs.SystemThreads", Ban.THREAD, "the threads of stores"));

    private BanExceptions() {}
}
