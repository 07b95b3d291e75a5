// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** This project's own tests: where they stand and how they last ended. */
final class OwnTests {

    private static final Pattern TEST_METHOD =
            Pattern.compile("@(?:Test|ParameterizedTest)\\b.*?\\bvoid\\s+(\\w+)\\(", Pattern.DOTALL);
    private static final int DEEPEST_MODULE = 4;

    private OwnTests() {}

    /** {@code Class#method} of all tests in the sources under {@code root}, without packages. */
    static List<String> inSources(Path root) throws IOException {
        List<String> tests = new ArrayList<>();
        for (Path source : find(root, "src/test/java", ".*Test\\.java")) {
            String name = source.getFileName().toString().replace(".java", "");
            Matcher methods = TEST_METHOD.matcher(Files.readString(source));
            while (methods.find()) {
                tests.add(name + "#" + methods.group(1));
            }
        }
        return tests;
    }

    /**
     * How the tests of the last runs under {@code root} ended, by {@code package.Class#method}; a method with parameters is one test, which fails when it fails with any
     * of them.
     */
    static Map<String, Status> lastRun(Path root) throws IOException {
        Map<String, Status> all = new TreeMap<>();
        for (Path report : find(root, "target/surefire-reports", "TEST-.*\\.xml")) {
            NodeList cases;
            try {
                cases = DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(report.toFile())
                        .getElementsByTagName("testcase");
            } catch (SAXException | ParserConfigurationException e) {
                throw new IOException("not a report of tests: " + report, e);
            }
            for (int i = 0; i < cases.getLength(); i++) {
                Element test = (Element) cases.item(i);
                String method = test.getAttribute("name").replaceFirst("[^\\w].*$", "");
                all.merge(test.getAttribute("classname") + "#" + method, status(test), OwnTests::worse);
            }
        }
        return all;
    }

    private static Status status(Element test) {
        if (test.getElementsByTagName("failure").getLength()
                        + test.getElementsByTagName("error").getLength()
                > 0) {
            return Status.FAIL;
        }
        return test.getElementsByTagName("skipped").getLength() > 0 ? Status.SKIP : Status.PASS;
    }

    private static Status worse(Status a, Status b) {
        return a == Status.FAIL || b == Status.FAIL ? Status.FAIL : a == Status.PASS ? a : b;
    }

    /** The files of {@code folder} of each module. */
    private static List<Path> find(Path root, String folder, String name) throws IOException {
        List<Path> found = new ArrayList<>();
        List<Path> modules;
        try (Stream<Path> paths = Files.find(
                root,
                DEEPEST_MODULE,
                (path, attributes) ->
                        path.endsWith("pom.xml") && !path.toString().contains("/target/"))) {
            modules = paths.map(Path::toAbsolutePath)
                    .map(Path::getParent)
                    .sorted()
                    .toList();
        }
        for (Path module : modules) {
            Path start = module.resolve(folder);
            if (Files.isDirectory(start)) {
                try (Stream<Path> files = Files.walk(start)) {
                    files.filter(file -> file.getFileName().toString().matches(name))
                            .sorted()
                            .forEach(found::add);
                }
            }
        }
        return found;
    }
}
