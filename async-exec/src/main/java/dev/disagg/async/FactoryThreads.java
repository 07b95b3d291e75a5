// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;

/** Real threads. The one class of this module that makes them. */
final class FactoryThreads implements WorkerThreads {
    /** The first JDK whose virtual threads park inside {@code synchronized} without holding their carrier. */
    private static final int UNPINNED_SINCE = 24;

    private final ThreadFactory factory;
    private final ThreadFactory watchFactory;

    FactoryThreads(ThreadFactory factory) {
        this(factory, factory);
    }

    private FactoryThreads(ThreadFactory factory, ThreadFactory watchFactory) {
        this.factory = requireNonNull(factory, "factory is null");
        this.watchFactory = watchFactory;
    }

    static FactoryThreads platform() {
        return new FactoryThreads(FactoryThreads::daemon);
    }

    private static Thread daemon(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        return thread;
    }

    static FactoryThreads virtualIfAvailable() {
        if (Runtime.version().feature() < UNPINNED_SINCE) {
            return platform();
        }
        try {
            // By reflection, because the one jar is compiled for JDK 17.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            ThreadFactory factory = (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
            return new FactoryThreads(factory, FactoryThreads::daemon);
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " should have virtual threads", e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("JDK " + Runtime.version() + " gave no virtual threads", e.getCause());
        }
    }

    @Override
    public Thread start(String name, Runnable body) {
        return start(factory, name, body);
    }

    @Override
    public Thread startWatch(String name, Runnable body) {
        return start(watchFactory, name, body);
    }

    private static Thread start(ThreadFactory factory, String name, Runnable body) {
        Thread thread = factory.newThread(body);
        if (thread == null) {
            throw new IllegalStateException("the thread factory gave no thread for " + name);
        }
        thread.setName(name);
        thread.start();
        return thread;
    }
}
