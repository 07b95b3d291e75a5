// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens a store by its URI. Thread-safe. */
public final class ObjectStores {
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):.*", Pattern.DOTALL);
    private static final Map<String, String> ARTIFACTS =
            Map.of("s3", "disagg-ufs-s3", "oss", "disagg-ufs-s3", "gs", "disagg-ufs-gcs", "hdfs", "disagg-ufs-hdfs");

    private ObjectStores() {}

    /**
     * Opens the store at {@code uri}: {@code file:///path}, a bare path, {@code memory://name} (shared within the
     * process), or a scheme of a provider on the class path.
     *
     * @throws Invalid for an unknown scheme (names the artifact to add) or a place that cannot be used
     */
    public static ObjectStore open(String uri) {
        URI root = parse(uri);
        String scheme = root.getScheme().toLowerCase(Locale.ROOT);
        TreeSet<String> known = new TreeSet<>();
        for (ObjectStoreProvider provider : ServiceLoader.load(ObjectStoreProvider.class, loader())) {
            if (provider.schemes().contains(scheme)) {
                return provider.open(root);
            }
            known.addAll(provider.schemes());
        }
        String artifact = ARTIFACTS.get(scheme);
        throw new Invalid("no store for the scheme '" + scheme + ":' of " + redacted(root)
                + (artifact == null
                        ? "; schemes on the class path: " + known
                        : "; add the artifact dev.disagg:" + artifact + " to the class path"));
    }

    /** The URI without user information and query, for messages: these may hold secrets. */
    static String redacted(URI uri) {
        String authority = uri.getRawAuthority();
        String place = authority == null ? "" : "//" + authority.substring(authority.lastIndexOf('@') + 1);
        return uri.getScheme() + ":" + place + (uri.getRawPath() == null ? "" : uri.getRawPath());
    }

    private static URI parse(String uri) {
        if (uri.isBlank()) {
            throw new Invalid("the URI of a store is empty; give a directory or, for example, file:///path");
        }
        Matcher scheme = SCHEME.matcher(uri);
        try {
            return scheme.matches()
                    ? new URI(uri)
                    : Path.of(uri).toAbsolutePath().toUri();
        } catch (URISyntaxException e) {
            throw new Invalid("not a URI of a store, scheme '" + scheme.group(1) + "': " + e.getReason() + " at index "
                    + e.getIndex() + "; write special characters as %XX");
        } catch (InvalidPathException e) {
            throw new Invalid("not a path: " + uri, e);
        }
    }

    private static ClassLoader loader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : ObjectStores.class.getClassLoader();
    }
}
