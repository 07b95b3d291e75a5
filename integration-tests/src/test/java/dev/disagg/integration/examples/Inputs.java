// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * What the examples read. The same at each call, and of few keys: DirectRunner translates the pipeline again for each
 * key, which takes it some 50 ms.
 */
final class Inputs {
    private static final long SEED = 11;
    private static final int CHAPTERS = 4;
    private static final int LINES = 400;
    private static final int WORDS = 40;
    private static final String NOVEL = "/dev/disagg/examples/moby-dick.txt.gz";

    private Inputs() {}

    /** A directory with four text files: of 400 paragraphs of a novel the words that are most frequent. */
    static Path novel(Path directory) throws IOException {
        Path novel = Files.createDirectories(directory.resolve("novel"));
        List<String> lines = frequentWords();
        for (int chapter = 0; chapter < CHAPTERS; chapter++) {
            int from = chapter * LINES / CHAPTERS;
            Files.write(novel.resolve("chapter-" + chapter + ".txt"), lines.subList(from, from + LINES / CHAPTERS));
        }
        return novel;
    }

    private static List<String> frequentWords() throws IOException {
        List<List<String>> lines = new ArrayList<>();
        Map<String, Integer> counts = new TreeMap<>();
        try (InputStream in = Objects.requireNonNull(Inputs.class.getResourceAsStream(NOVEL));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
            reader.lines().skip(600).limit(LINES).forEach(line -> {
                List<String> words = List.of(line.split("[^A-Za-z]+"));
                lines.add(words);
                words.forEach(word -> counts.merge(word, 1, Integer::sum));
            });
        }
        Set<String> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry::getKey))
                .limit(WORDS)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        return lines.stream()
                .map(words -> words.stream().filter(frequent::contains).collect(Collectors.joining(" ")))
                .toList();
    }

    /** The same words in one file, and what DebuggingWordCount asserts of King Lear: one word once, another so often. */
    static Path lear(Path directory, int flourishes) throws IOException {
        List<String> lines = new ArrayList<>(frequentWords());
        for (int i = 0; i < flourishes; i++) {
            lines.add(i * 7, "Flourish");
        }
        lines.add("stomach");
        return Files.write(directory.resolve("lear-" + flourishes + ".txt"), lines);
    }

    /** Two files of 500 lines in all, 60 of them different. */
    static Path repetitions(Path directory) throws IOException {
        Random random = new Random(SEED);
        Path repetitions = Files.createDirectories(directory.resolve("repetitions"));
        for (String name : List.of("a.txt", "b.txt")) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                lines.add("line " + random.nextInt(60));
            }
            Files.write(repetitions.resolve(name), lines);
        }
        return repetitions;
    }

    /** Events of the games: {@code user,team,score,milliseconds,time}, some of them broken. */
    static Path games(Path directory) throws IOException {
        Random random = new Random(SEED);
        long start = Instant.parse("2015-11-16T08:00:00Z").toEpochMilli();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            int team = random.nextInt(4);
            long time = start + random.nextInt(12 * 3600_000);
            lines.add(
                    random.nextInt(50) == 0
                            ? "user" + team + "-broken,team" + team + ",," + time
                            : "user" + team + "_" + random.nextInt(10) + ",team" + team + "," + random.nextInt(20) + ","
                                    + time + "," + Instant.ofEpochMilli(time));
        }
        return Files.write(directory.resolve("games.csv"), lines);
    }

    /** Edits of Wikipedia by 250 users over five months, as JSON; users come back within the hour more often than not. */
    static Path edits(Path directory) throws IOException {
        Random random = new Random(SEED);
        long start = Instant.parse("2012-01-10T00:00:00Z").getEpochSecond();
        List<String> lines = new ArrayList<>();
        for (int user = 0; user < 250; user++) {
            long time = start + random.nextInt(30 * 86_400);
            // The example takes a tenth of the users, by the hash of their names.
            String name = random.nextInt(1 << 30) + "@" + user;
            int edits = 5 + random.nextInt(15);
            for (int i = 0; i < edits; i++) {
                time += random.nextInt(5) == 0 ? random.nextInt(40 * 86_400) : random.nextInt(3600);
                lines.add("{\"contributor_username\":\"" + name + "\",\"timestamp\":" + time + ",\"title\":\"page\"}");
            }
        }
        return Files.write(directory.resolve("edits.json"), lines);
    }
}
