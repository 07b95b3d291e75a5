// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;

/** The output of a running pipeline, in a test's hands. Thread-safe. */
public final class Drain {
    private static final Map<String, Drain> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong NAMES = new AtomicLong();
    private static final long LIMIT_SECONDS = 60;

    private final String name = "drain-" + NAMES.incrementAndGet();
    private final BlockingQueue<String> came = new LinkedBlockingQueue<>();

    public Drain() {
        ALL.put(name, this);
    }

    /** Takes what this collection brings. */
    public void from(PCollection<String> collection) {
        collection.apply("Drain", ParDo.of(new Into(name)));
    }

    /** Waits for the next element; fails when none comes. */
    public String next() throws InterruptedException {
        String next = came.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came out of the pipeline in " + LIMIT_SECONDS + " s");
        }
        return next;
    }

    /** What came and was not taken yet. */
    public List<String> rest() {
        List<String> rest = new ArrayList<>();
        came.drainTo(rest);
        return rest;
    }

    private static final class Into extends DoFn<String, Void> {
        private static final long serialVersionUID = 1;

        private final String drain;

        Into(String drain) {
            this.drain = drain;
        }

        @ProcessElement
        public void process(@Element String element) {
            Drain into = ALL.get(drain);
            if (into == null) {
                throw new IllegalStateException("no drain of this process is called " + drain);
            }
            into.came.add(element);
        }
    }
}
