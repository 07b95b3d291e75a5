// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import dev.disagg.ufs.ObjectNames;
import dev.disagg.ufs.ObjectStore.Listed;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Walks the directories that can hold names of one page, in the order of the names. Follows no symbolic link. */
final class Listing {
    private final Path root;
    private final String prefix;
    private final String startAfter;
    private final int limit;
    private final List<Listed> page = new ArrayList<>();

    Listing(Path root, String prefix, String startAfter, int limit) {
        this.root = root;
        this.prefix = prefix;
        this.startAfter = startAfter;
        this.limit = limit;
    }

    List<Listed> page() throws IOException {
        walk(root, "");
        return List.copyOf(page);
    }

    private void walk(Path directory, String above) throws IOException {
        // A directory sorts as its name and a slash, which is where the names below it are.
        TreeMap<String, Path> entries = new TreeMap<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path entry : stream) {
                String name = above + entry.getFileName();
                if (ObjectNames.isValid(name)) {
                    boolean below = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
                    entries.put(below ? name + "/" : name, entry);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return; // deleted since its parent was read: it holds no objects
        }
        for (var entry : entries.entrySet()) {
            if (page.size() >= limit) {
                return;
            }
            String name = entry.getKey();
            if (name.endsWith("/")) {
                if (mayHold(name)) {
                    walk(entry.getValue(), name);
                }
            } else if (name.startsWith(prefix) && name.compareTo(startAfter) > 0) {
                add(name, entry.getValue());
            }
        }
    }

    private boolean mayHold(String directory) {
        boolean wanted = directory.startsWith(prefix) || prefix.startsWith(directory);
        return wanted && (startAfter.startsWith(directory) || directory.compareTo(startAfter) > 0);
    }

    private void add(String name, Path file) throws IOException {
        try {
            BasicFileAttributes attributes = FileStore.attributes(file);
            if (attributes.isRegularFile()) {
                page.add(new Listed(
                        name, attributes.size(), attributes.lastModifiedTime().toMillis()));
            }
        } catch (NoSuchFileException e) {
            return; // deleted since its directory was read
        }
    }
}
