// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.ObjectStore.Listed;
import dev.disagg.ufs.ObjectStore.PutResult;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Log records as objects: their names, and the requests for them. Blocking. Thread-safe. */
final class LogStore {
    private static final int DIGITS = 20;
    private static final int PAGE = 1000;

    private final ObjectStore store;
    private final String jobName;
    private final Retries retries;
    private final ReliableReads reads;

    LogStore(ObjectStore store, String jobName, Retries retries) {
        this.store = store;
        this.jobName = ObjectNames.checkSegment("job name", jobName);
        this.retries = retries;
        this.reads = new ReliableReads(store, retries);
    }

    String jobName() {
        return jobName;
    }

    String name(long number) {
        String digits = Long.toString(number);
        return prefix() + "0".repeat(DIGITS - digits.length()) + digits;
    }

    private String prefix() {
        return jobName + "/log/";
    }

    /** The records that the store lists after {@code number}, with what it says about them. */
    NavigableMap<Long, Listed> listAfter(long number) {
        NavigableMap<Long, Listed> found = new TreeMap<>();
        String after = name(number);
        while (true) {
            String from = after;
            List<Listed> page =
                    Await.get(retries.call("list " + prefix(), () -> store.list(prefix(), from, PAGE)), "list log");
            page.forEach(each -> number(each.name()).ifPresent(own -> found.put(own, each)));
            if (page.size() < PAGE) {
                return found;
            }
            after = page.get(page.size() - 1).name();
        }
    }

    /** The number of a record's name, or empty when this project did not write it. */
    private OptionalLong number(String name) {
        String digits = name.substring(prefix().length());
        boolean own = digits.length() == DIGITS
                && digits.charAt(0) == '0'
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return own ? OptionalLong.of(Long.parseLong(digits)) : OptionalLong.empty();
    }

    /** A record's bytes, or empty when there is none now. */
    Optional<ByteBuffer> fetch(long number) {
        String name = name(number);
        OptionalLong size = Await.get(retries.call("size of " + name, () -> store.size(name)), "size of " + name);
        return size.isEmpty() ? Optional.empty() : Optional.of(fetch(number, size.getAsLong()));
    }

    /** The bytes of a record that is known to exist. */
    ByteBuffer fetch(long number, long bytes) {
        String name = name(number);
        if (bytes > Integer.MAX_VALUE) {
            throw new Corrupt("log record '" + name + "' has " + bytes + " bytes, more than a record can have");
        }
        return Await.get(reads.read(name, 0, (int) bytes), "read " + name);
    }

    /** The bytes of a record that a put ran into; {@link Unavailable} when it is not shown within the retries. */
    ByteBuffer fetchExisting(long number) {
        String name = name(number);
        CompletableFuture<Long> size = retries.call(
                "size of " + name,
                () -> store.size(name).thenApply(found -> {
                    if (found.isEmpty()) {
                        throw new Unavailable("log record '" + name + "' exists but is not visible yet");
                    }
                    return found.getAsLong();
                }));
        return fetch(number, Await.get(size, "size of " + name));
    }

    PutResult put(long number, byte[] record) {
        String name = name(number);
        return Await.get(
                retries.call(
                        "put " + name,
                        () -> store.putIfAbsent(name, ByteBuffer.wrap(record).asReadOnlyBuffer())),
                "put " + name);
    }

    void delete(Collection<Long> numbers) {
        List<String> names = numbers.stream().map(this::name).toList();
        Await.get(retries.call("prune log", () -> store.delete(names)), "prune log of " + jobName);
    }
}
