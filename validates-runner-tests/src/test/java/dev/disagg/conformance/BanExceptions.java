// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;

/** The one list of classes that may do what is banned, because they are the source from which the others are given it. */
final class BanExceptions {

    /**
     * @param className binary name; classes nested in it are meant too
     * @param ban what it may do
     * @param reason why it is the right place
     */
    record Exception(String className, Ban ban, String reason) {

        boolean covers(JavaClass caller, Ban broken) {
            String name = caller.getName();
            return ban.equals(broken) && (name.equals(className) || name.startsWith(className + "$"));
        }
    }

    /** Add a line with a reason; a line that excepts nothing fails the test, so that the list stays true. */
    static final List<Exception> ALL = List.of();

    private BanExceptions() {}
}
