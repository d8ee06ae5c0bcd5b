package overworld.plugin.core.link;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Content of the hand-over file that the master writes: the master's address and fingerprint, and the id and token
 * of this service.
 */
public final class HandOver {
    /** File name in the service's folder (shared/link/messages.ts, HAND_OVER_FILE). */
    public static final String FILE = "overworld-link.properties";

    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
    private static final int MAX_PORT = 65_535;

    final String host;
    final int port;
    final String fingerprint;
    final String service;
    final String token;

    private HandOver(Properties lines) throws IOException {
        host = require(lines, "host");
        fingerprint = require(lines, "fingerprint");
        service = require(lines, "service");
        token = require(lines, "token");
        try {
            port = Integer.parseInt(require(lines, "port"));
        } catch (NumberFormatException e) {
            throw new IOException(FILE + ": port is not a number", e);
        }
        if (port < 1 || port > MAX_PORT) {
            throw new IOException(FILE + ": port is out of range");
        }
        if (!SHA_256.matcher(fingerprint).matches()) {
            throw new IOException(FILE + ": fingerprint is not a SHA-256 in lowercase hexadecimal");
        }
    }

    /** Whether the folder contains a hand-over file, which means that Overworld started this server. */
    public static boolean isIn(Path folder) {
        return Files.exists(folder.resolve(FILE));
    }

    /**
     * Reads the hand-over file in a folder.
     *
     * @throws IOException if the file cannot be read or a value is missing or invalid; the message never contains
     *   the token
     */
    public static HandOver read(Path folder) throws IOException {
        Properties lines = new Properties();
        try (Reader reader = Files.newBufferedReader(folder.resolve(FILE), StandardCharsets.UTF_8)) {
            lines.load(reader);
        } catch (IllegalArgumentException e) {
            throw new IOException(FILE + " has an invalid escape", e);
        }
        return new HandOver(lines);
    }

    /** Returns the id of this service, such as {@code lobby-3}. */
    public String service() {
        return service;
    }

    boolean sameAs(HandOver other) {
        return port == other.port && host.equals(other.host) && fingerprint.equals(other.fingerprint)
                && service.equals(other.service) && token.equals(other.token);
    }

    private static String require(Properties lines, String key) throws IOException {
        String value = lines.getProperty(key, "").trim();
        if (value.isEmpty()) {
            throw new IOException(FILE + ": " + key + " is missing");
        }
        return value;
    }
}
