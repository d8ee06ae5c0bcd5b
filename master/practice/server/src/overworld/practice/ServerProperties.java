package overworld.practice;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * Settings in {@code server.properties}. Missing settings of a vanilla server are appended to the file with their
 * defaults; the rest of the file stays unchanged. A system property with the name of a setting takes precedence over
 * the file.
 */
final class ServerProperties {
    static final String FILE_NAME = "server.properties";
    private static final int MAX_FILE_BYTES = 1024 * 1024;
    private static final int MAX_MOTD_CHARS = 1_024;
    private static final int MAX_PLAYERS_LIMIT = 10_000;
    private static final int TEN_MINUTES_MS = 600_000;
    private static final int MAX_START_WORK = 1_000_000;

    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    static {
        DEFAULTS.put("server-ip", "");
        DEFAULTS.put("server-port", "25565");
        DEFAULTS.put("max-players", "20");
        DEFAULTS.put("motd", "An Overworld practice server");
        DEFAULTS.put("online-mode", "false");
    }

    private final Properties values;
    private final int port;
    private final int maxPlayers;
    private final int startDelayMs;
    private final int startLogMs;
    private final int startWork;
    private final int timeoutMs;
    private final int keepAliveMs;
    private final boolean behindProxy;

    private ServerProperties(Properties values, boolean behindProxy) throws StartException {
        this.values = values;
        this.behindProxy = behindProxy;
        port = number("server-port", 0, 65_535);
        maxPlayers = number("max-players", 0, MAX_PLAYERS_LIMIT);
        startDelayMs = number("practice.start-delay-ms", 0, TEN_MINUTES_MS);
        startLogMs = number("practice.start-log-ms", 0, TEN_MINUTES_MS);
        startWork = number("practice.start-work", 0, MAX_START_WORK);
        timeoutMs = number("practice.timeout-ms", 100, TEN_MINUTES_MS);
        keepAliveMs = number("practice.keep-alive-ms", 100, TEN_MINUTES_MS);
    }

    /**
     * Reads the file in a folder, and adds missing settings to the file.
     *
     * @throws StartException if the file cannot be read or contains an invalid value
     */
    static ServerProperties load(Path folder) throws StartException {
        Path file = folder.resolve(FILE_NAME);
        String text = Files.exists(file) ? read(file) : "";
        Properties values = new Properties();
        try {
            values.load(new StringReader(text));
        } catch (IOException | IllegalArgumentException e) {
            throw new StartException(FILE_NAME + " is not a properties file: " + e.getMessage());
        }
        addMissing(file, text, values);
        values.putIfAbsent("enable-status", "true");
        values.putIfAbsent("practice.start-delay-ms", "0");
        values.putIfAbsent("practice.start-log-ms", "0");
        values.putIfAbsent("practice.start-work", "0");
        values.putIfAbsent("practice.timeout-ms", "30000");
        values.putIfAbsent("practice.keep-alive-ms", "10000");
        return new ServerProperties(values, Forwarded.isExpected(folder));
    }

    /** Reads the file as UTF-8, which servers write since 1.20. If it is not valid UTF-8, reads it as Latin-1. */
    private static String read(Path file) throws StartException {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new StartException(FILE_NAME + " has more than " + MAX_FILE_BYTES + " bytes");
            }
            byte[] bytes = Files.readAllBytes(file);
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            } catch (CharacterCodingException e) {
                return new String(bytes, StandardCharsets.ISO_8859_1);
            }
        } catch (IOException e) {
            throw new StartException(FILE_NAME + " cannot be read: " + e);
        }
    }

    private static void addMissing(Path file, String text, Properties values) {
        StringBuilder missing = new StringBuilder();
        if (text.isEmpty()) {
            missing.append("# Settings of the Overworld practice server\n");
        } else if (!text.endsWith("\n")) {
            missing.append('\n');
        }
        int before = values.size();
        DEFAULTS.forEach((key, value) -> {
            if (values.putIfAbsent(key, value) == null) {
                missing.append(key).append('=').append(value).append('\n');
            }
        });
        if (values.size() == before) {
            return;
        }
        try {
            Files.write(file, missing.toString().getBytes(StandardCharsets.US_ASCII), StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            Log.warn("Could not add missing settings to " + FILE_NAME + ", continuing with the defaults: " + e);
        }
    }

    private String text(String key) {
        return System.getProperty(key, values.getProperty(key)).strip();
    }

    private int number(String key, int least, int most) throws StartException {
        String value = text(key);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Rejected below, with the same message as a number that is out of range.
        }
        throw new StartException(FILE_NAME + ": " + key + " must be a whole number from " + least + " to " + most
                + ", but is \"" + value + "\"");
    }

    /** Returns the address to listen on; empty for all addresses. */
    String ip() {
        return text("server-ip");
    }

    /** Returns the port to listen on; 0 lets the system choose. */
    int port() {
        return port;
    }

    int maxPlayers() {
        return maxPlayers;
    }

    String motd() {
        String motd = text("motd");
        return motd.length() <= MAX_MOTD_CHARS ? motd : motd.substring(0, MAX_MOTD_CHARS);
    }

    /** Returns whether the file requests authentication of accounts. This server does not support it. */
    boolean wantsOnlineMode() {
        return Boolean.parseBoolean(text("online-mode"));
    }

    /** Returns whether status requests are answered. If not, the connection is closed, as on a real server. */
    boolean answersStatus() {
        return Boolean.parseBoolean(text("enable-status"));
    }

    /** Returns whether players are accepted only from proxies. The proxies send the identity of each player. */
    boolean isBehindProxy() {
        return behindProxy;
    }

    /** Returns the time to wait before listening (ms), so that tests can observe a service that is starting. */
    int startDelayMs() {
        return startDelayMs;
    }

    /** Returns the interval at which a line is logged during the wait before listening (ms); 0 for no lines. */
    int startLogMs() {
        return startLogMs;
    }

    /**
     * Returns the number of rounds of {@link StartWork} before listening; default 0. With enough rounds, a start
     * needs as much work as the start of a real server.
     */
    int startWork() {
        return startWork;
    }

    /**
     * Returns the time after which a client is disconnected if it has not logged in or not answered a keep-alive
     * (ms).
     */
    int timeoutMs() {
        return timeoutMs;
    }

    /** Returns the time between an answered keep-alive and the next one (ms). */
    int keepAliveMs() {
        return keepAliveMs;
    }
}
