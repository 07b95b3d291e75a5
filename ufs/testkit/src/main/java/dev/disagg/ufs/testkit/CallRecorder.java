// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import java.util.ArrayList;
import java.util.List;

/** The calls that reached a {@link FaultyStore}, in order. Thread-safe. */
public final class CallRecorder {
    /** A test that makes more calls than this has a loop without end. */
    private static final int MAX_CALLS = 1_000_000;

    private final List<Call> calls = new ArrayList<>();

    /** What was asked for. */
    public enum Kind {
        PUT,
        PUT_IF_ABSENT,
        CREATE,
        FINISH,
        READ,
        SIZE,
        LIST,
        DELETE
    }

    /**
     * One call.
     *
     * @param index from 0
     * @param name of the object; the prefix of a list; the first name of a delete
     * @param fault what was done to it, for reading; empty for nothing
     */
    public record Call(int index, Kind kind, String name, String fault) {}

    synchronized int add(Kind kind, String name) {
        if (calls.size() == MAX_CALLS) {
            throw new IllegalStateException(MAX_CALLS + " calls to a store; is there a loop without end?");
        }
        calls.add(new Call(calls.size(), kind, name, ""));
        return calls.size() - 1;
    }

    synchronized void fault(int index, String fault) {
        Call call = calls.get(index);
        calls.set(index, new Call(index, call.kind, call.name, fault));
    }

    /** All calls so far. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** How many calls were made so far. */
    public synchronized int size() {
        return calls.size();
    }

    /** How many calls of a kind were made so far. */
    public synchronized long count(Kind kind) {
        return calls.stream().filter(call -> call.kind == kind).count();
    }
}
