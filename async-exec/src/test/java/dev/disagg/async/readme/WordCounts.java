// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.readme;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.AsyncTask;
import dev.disagg.async.Computation;
import dev.disagg.async.Duty;
import dev.disagg.async.Epoch;
import dev.disagg.async.KeySlot;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Counts words whose counts so far are in a slow store. */
final class WordCounts implements Duty {
    final Map<String, Word> words = new TreeMap<>();
    final AsyncTask task;
    private final Queue<String> input;
    private final Function<String, CompletableFuture<Long>> store;

    WordCounts(Queue<String> input, Function<String, CompletableFuture<Long>> store, AsyncOptions options) {
        this.input = input;
        this.store = store;
        task = new AsyncTask("word-counts", this, options);
    }

    /** The state of a key and its slot in one object. */
    static final class Word extends KeySlot {
        final String text;
        long count = -1;

        Word(String text) {
            this.text = text;
        }
    }

    private final class Increment extends Computation {
        private final Word word;

        Increment(Word word) {
            this.word = word;
        }

        @Override
        protected boolean prepare() {
            return true;
        }

        @Override
        protected void run() {
            if (word.count < 0) {
                // Waits on this thread and in the middle of this code, while other words go on.
                word.count = task.await(store.apply(word.text));
            }
            word.count++;
        }

        @Override
        protected String describe() {
            return "increment of " + word.text;
        }
    }

    @Override
    public int poll() {
        String text = input.poll();
        if (text == null) {
            task.shutdown();
            return 0;
        }
        Word word = words.computeIfAbsent(text, Word::new);
        task.admit(word, new Increment(word));
        return 1;
    }

    @Override
    public void released(Epoch epoch) {}

    @Override
    public void drained() {}

    @Override
    public long idle() {
        return Long.MAX_VALUE;
    }

    @Override
    public void failed(Throwable cause) {
        cause.printStackTrace();
    }
}
