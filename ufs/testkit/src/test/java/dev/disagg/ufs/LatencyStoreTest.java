// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LatencyStoreTest {
    private static final Duration LATENCY = Duration.ofMillis(23);
    private final MemoryStore memory = MemoryStore.create(() -> 0L);
    private final VirtualTime time = VirtualTime.manual();

    @Test
    void requestsOverlapSoAHundredTakeOneLatency() {
        Await.get(memory.put("a", ByteBuffer.wrap(new byte[10])), "put");
        LatencyStore store = new LatencyStore(memory, time, LATENCY, 0);
        List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(store.read("a", 0, 10));
        }
        time.advance(LATENCY.toNanos() - 1);
        assertThat(reads.stream().filter(CompletableFuture::isDone).count(), is(0L));
        time.advance(1);
        assertThat(reads.stream().filter(CompletableFuture::isDone).count(), is(100L));
    }

    @Test
    void bytesShareOneLink() {
        Await.get(memory.put("a", ByteBuffer.wrap(new byte[1000])), "put");
        LatencyStore store = new LatencyStore(memory, time, Duration.ZERO, 1_000_000); // a microsecond a byte
        List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            reads.add(store.read("a", 0, 1000));
        }
        time.advance(Duration.ofMillis(5).toNanos());
        assertThat(reads.stream().filter(CompletableFuture::isDone).count(), is(5L));
        time.advance(Duration.ofMillis(5).toNanos());
        assertThat(reads.stream().filter(CompletableFuture::isDone).count(), is(10L));
    }

    @Test
    void putTakesEffectAfterItsLatencyWithTheBytesOfTheCall() {
        LatencyStore store = new LatencyStore(memory, time, LATENCY, 0);
        byte[] reused = {1};
        CompletableFuture<Void> put = store.put("a", ByteBuffer.wrap(reused));
        reused[0] = 2;
        assertThat(Await.get(memory.size("a"), "size").isEmpty(), is(true));
        time.advance(LATENCY.toNanos());
        assertThat(put.isDone(), is(true));
        assertThat(Await.get(memory.read("a", 0, 1), "read").get(), is((byte) 1));
    }
}
