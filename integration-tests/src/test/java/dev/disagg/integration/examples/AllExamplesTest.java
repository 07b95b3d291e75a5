// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import static net.bytebuddy.matcher.ElementMatchers.isPublic;
import static net.bytebuddy.matcher.ElementMatchers.isStatic;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import net.bytebuddy.pool.TypePool;
import org.apache.beam.examples.WordCount;
import org.junit.jupiter.api.Test;

class AllExamplesTest {
    private static final String ROOT = "org/apache/beam/examples/";

    @Test
    void everyMainIsRunOrLeftOutForAReason() throws IOException, URISyntaxException {
        Set<String> known = new TreeSet<>(Examples.CREATE);
        known.addAll(Examples.FILES);
        known.addAll(Examples.LEFT_OUT.keySet());

        assertThat(mains(), equalTo(known));
    }

    private static Set<String> mains() throws IOException, URISyntaxException {
        TypePool types = TypePool.Default.ofSystemLoader();
        Path jar = Path.of(WordCount.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (JarFile file = new JarFile(jar.toFile())) {
            Set<String> mains = new TreeSet<>();
            file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith(ROOT) && name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> !types.describe(name)
                            .resolve()
                            .getDeclaredMethods()
                            .filter(named("main")
                                    .and(isStatic())
                                    .and(isPublic())
                                    .and(takesArguments(String[].class)))
                            .isEmpty())
                    .forEach(name -> mains.add(name.substring(ROOT.length())));
            return mains;
        }
    }
}
