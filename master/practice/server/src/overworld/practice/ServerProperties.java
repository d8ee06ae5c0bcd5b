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
 * The settings in {@code server.properties}. Missing ones are added to the file with their default; everything else in
 * it (other keys, comments, order) is left as it is. A system property of the same name wins over the file.
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
    }

    /**
     * Reads the file in a folder, and completes it.
     *
     * @throws StartException when it cannot be read or holds an impossible value
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
        return new ServerProperties(values, Forwarded.isExpected(folder));
    }

    /** UTF-8 as servers write it today, or Latin-1 as they did before 1.20. */
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
            Log.warn("Could not add missing settings to " + FILE_NAME + ", going on with the defaults: " + e);
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
            // Refused below, with the same sentence as a number out of range.
        }
        throw new StartException(FILE_NAME + ": " + key + " must be a whole number from " + least + " to " + most
                + ", but is \"" + value + "\"");
    }

    /** Address to listen on; empty for all. */
    String ip() {
        return text("server-ip");
    }

    /** Port to listen on; 0 lets the system choose. */
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

    /** Whether the file asks for authentication of accounts. This server does not support it. */
    boolean wantsOnlineMode() {
        return Boolean.parseBoolean(text("online-mode"));
    }

    /** False: status requests are not answered, as with a real server. */
    boolean answersStatus() {
        return Boolean.parseBoolean(text("enable-status"));
    }

    /** Whether players come from proxies only. The proxies send the identity of each player. */
    boolean isBehindProxy() {
        return behindProxy;
    }

    /** Waited before listening, so that tests can see a service start. */
    int startDelayMs() {
        return startDelayMs;
    }

    /** A line is logged this often while it waits before listening; 0: none. */
    int startLogMs() {
        return startLogMs;
    }

    /** Rounds of {@link StartWork} before listening, so that a start costs what a real server's does. */
    int startWork() {
        return startWork;
    }

    /** Who has not logged in after this time, or leaves a keep-alive unanswered for it, is disconnected. */
    int timeoutMs() {
        return timeoutMs;
    }
}
