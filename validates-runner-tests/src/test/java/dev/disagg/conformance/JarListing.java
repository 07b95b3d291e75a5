// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.experimental.categories.Category;

/** Finds the JUnit 4 tests of a jar by looking at its classes; runs none of their code. */
final class JarListing {

    private static final String CATEGORIES = "org.apache.beam.sdk.testing.";

    private JarListing() {}

    /** The jar on the class path whose name begins with {@code artifact-} and ends with {@code -tests.jar}. */
    static Path testsJarOf(String artifact) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches(artifact + "-[0-9.]+-tests\\.jar"))
                .findAny()
                .orElseThrow(() -> new IllegalStateException("no tests of " + artifact + " are on the class path"));
    }

    /** The tests of all classes of {@code jar} in the packages of Beam, in order of their names. */
    static List<BeamTest> of(String suite, Path jar) throws IOException {
        List<BeamTest> tests = new ArrayList<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : file.stream().toList()) {
                // Repackaged libraries lie in packages of Beam, too.
                if (entry.getName().matches("org/apache/beam/(sdk|runners)/.*\\.class")
                        && !entry.getName().contains("repackaged")) {
                    String name = entry.getName();
                    tests.addAll(of(
                            suite,
                            load(name.substring(0, name.length() - ".class".length())
                                    .replace('/', '.'))));
                }
            }
        }
        return inOrder(tests);
    }

    /** The tests of one class, inherited ones too; none when it is abstract. */
    static List<BeamTest> of(String suite, Class<?> testClass) {
        List<BeamTest> tests = new ArrayList<>();
        if (!Modifier.isAbstract(testClass.getModifiers())) {
            for (Method method : testClass.getMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    Set<String> categories = new TreeSet<>(categories(method.getAnnotation(Category.class)));
                    categories.addAll(categories(testClass.getAnnotation(Category.class)));
                    boolean ignored =
                            method.isAnnotationPresent(Ignore.class) || testClass.isAnnotationPresent(Ignore.class);
                    tests.add(new BeamTest(suite, testClass.getName(), method.getName(), categories, ignored));
                }
            }
        }
        return inOrder(tests);
    }

    private static List<BeamTest> inOrder(List<BeamTest> tests) {
        return List.copyOf(tests.stream()
                .collect(Collectors.toMap(BeamTest::name, test -> test, (a, b) -> a, TreeMap::new))
                .values());
    }

    /** A line of a suite's list. */
    static String line(BeamTest test) {
        return test.name() + "\t" + String.join(",", new TreeSet<>(test.categories())) + "\t" + test.ignored();
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, JarListing.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a class of the jar cannot be loaded: " + name, e);
        }
    }

    private static List<String> categories(@Nullable Category category) {
        return category == null
                ? List.of()
                : Arrays.stream(category.value())
                        .map(Class::getName)
                        .map(name -> name.startsWith(CATEGORIES) ? name.substring(CATEGORIES.length()) : name)
                        .toList();
    }
}
