// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import org.apache.beam.sdk.coders.Coder;

/** How elements of an edge find their task. */
public sealed interface Exchange {
    /** One word, for people. */
    String label();

    /** To the task of the same index. */
    record Forward() implements Exchange {
        @Override
        public String label() {
            return "forward";
        }
    }

    /** By the hash of the encoded key. Elements are {@code KV}s. */
    record ByKey(Coder<?> keyCoder) implements Exchange {
        @Override
        public String label() {
            return "by key";
        }
    }

    /** To the task that owns the hash of the key, but kept as plain elements: a reshuffle. */
    record Reshuffle(Coder<?> keyCoder) implements Exchange {
        @Override
        public String label() {
            return "reshuffle";
        }
    }

    /** To every task: panes of a side input. */
    record Broadcast(View view) implements Exchange {
        @Override
        public String label() {
            return "broadcast";
        }
    }
}
