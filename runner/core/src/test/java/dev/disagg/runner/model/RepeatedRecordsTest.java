// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feeds;
import dev.disagg.runner.testing.Restarts;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Sources that rely on the runner to drop records that they give again. */
class RepeatedRecordsTest {
    @Test
    void aRecordIsGivenOnceWhateverSplitItComesFromAndAcrossARestart() throws Exception {
        Feeds feeds = new Feeds(2);
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> drain.from(pipeline.apply("Read", feeds.readRepeating())))) {
            job.start("--parallelism=2");
            feeds.feed(0).give("a#1", 1).give("b#1", 2).give("a#1", 3);
            assertThat(new TreeSet<>(List.of(drain.next(), drain.next())), is(new TreeSet<>(List.of("a#1", "b#1"))));
            feeds.feed(1).give("a#2", 1).give("c#1", 1);
            assertThat(drain.next(), is("c#1"));
            job.checkpoint();
            job.kill();
            job.start("--parallelism=3");
            feeds.feed(0).give("c#2", 4).give("d#1", 5);
            feeds.feed(1).give("b#2", 6).give("e#1", 7);
            assertThat(new TreeSet<>(List.of(drain.next(), drain.next())), is(new TreeSet<>(List.of("d#1", "e#1"))));
            feeds.close();
            job.finish();
            assertThat(drain.rest(), is(empty()));
        }
    }
}
