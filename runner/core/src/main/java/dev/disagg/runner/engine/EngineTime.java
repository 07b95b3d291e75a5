// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

/** The clocks of a job. The one place in this module that looks at the system's. Thread-safe. */
public interface EngineTime {
    /** Processing time, milliseconds since the epoch. */
    long nowMillis();

    /** Elapsed time, nanoseconds from an arbitrary origin. */
    long nanoTime();

    /** The system's clocks. */
    EngineTime SYSTEM = new EngineTime() {
        @Override
        public long nowMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    };
}
