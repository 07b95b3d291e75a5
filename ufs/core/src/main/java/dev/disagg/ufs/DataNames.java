// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of a job's data objects: {@code <jobName>/data/<writer epoch>-<process>-<sequence>}. */
final class DataNames {
    private static final String FOLDER = "/data/";
    private static final Pattern OWN = Pattern.compile("([1-9][0-9]{0,17})-[A-Za-z0-9._=-]+-[0-9]{1,18}");

    private DataNames() {}

    static String name(String jobName, long epoch, String process, long sequence) {
        return prefix(jobName) + epoch + "-" + process + "-" + sequence;
    }

    static String prefix(String jobName) {
        return jobName + FOLDER;
    }

    /** The job that an object belongs to: what is before its folder. */
    static String job(String object) {
        int slash = object.indexOf('/');
        return slash < 0 ? "" : object.substring(0, slash);
    }

    /** The writer's epoch, or empty when this project did not write it. */
    static OptionalLong epoch(String jobName, String object) {
        if (!object.startsWith(prefix(jobName))) {
            return OptionalLong.empty();
        }
        Matcher own = OWN.matcher(object.substring(prefix(jobName).length()));
        return own.matches() ? OptionalLong.of(Long.parseLong(own.group(1))) : OptionalLong.empty();
    }
}
