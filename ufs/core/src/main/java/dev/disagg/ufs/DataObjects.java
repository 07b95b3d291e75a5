// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import dev.disagg.ufs.ObjectStore.Listed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The data objects that the store has of a job, listed and deleted by the page. Blocking. */
final class DataObjects {
    /** What stores take in one request. */
    private static final int PAGE = 1000;

    private final ObjectStore store;
    private final String jobName;
    private final Retries retries;

    DataObjects(ObjectStore store, String jobName, Retries retries) {
        this.store = store;
        this.jobName = jobName;
        this.retries = retries;
    }

    /** Every object that this project wrote, in order of names. */
    void forEach(Consumer<Listed> action) {
        String prefix = DataNames.prefix(jobName);
        String after = "";
        while (true) {
            String from = after;
            List<Listed> page =
                    Await.get(retries.call("list " + prefix, () -> store.list(prefix, from, PAGE)), "list " + prefix);
            page.stream()
                    .filter(each -> DataNames.epoch(jobName, each.name()).isPresent())
                    .forEach(action);
            if (page.size() < PAGE) {
                return;
            }
            after = page.get(page.size() - 1).name();
        }
    }

    /** Deletes these objects. */
    void delete(List<String> objects) {
        for (int from = 0; from < objects.size(); from += PAGE) {
            List<String> batch = objects.subList(from, Math.min(objects.size(), from + PAGE));
            Await.get(
                    retries.call("delete objects of " + jobName, () -> store.delete(batch)),
                    "delete objects of job " + jobName);
        }
    }

    long deleteAll() {
        List<String> all = new ArrayList<>();
        forEach(each -> all.add(each.name()));
        delete(all);
        return all.size();
    }
}
