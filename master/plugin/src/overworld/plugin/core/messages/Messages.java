package overworld.plugin.core.messages;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Properties;
import overworld.plugin.core.log.RareLog;

/**
 * Messages to players: the admin's texts, or the defaults if there are none. The admin's file (UTF-8) is read again
 * after a change.
 */
public final class Messages {
    static final String FILE = "overworld-messages.properties";

    private static final String COLOURS = "0123456789abcdefklmnorxABCDEFKLMNORX";

    private final Path file;
    private final RareLog log;
    private FileTime readAt;
    private volatile Properties own = new Properties();

    public Messages(Path folder, RareLog log) {
        file = folder.resolve(FILE);
        this.log = log;
        refresh();
    }

    /** Reads the file if it has changed. If it cannot be read, the previous texts stay. */
    public synchronized void refresh() {
        try {
            FileTime changed = Files.getLastModifiedTime(file);
            if (changed.equals(readAt)) {
                return;
            }
            readAt = changed;
            Properties now = new Properties();
            try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                skipByteOrderMark(reader);
                now.load(reader);
            }
            own = now;
        } catch (NoSuchFileException e) {
            readAt = null;
            own = new Properties();
        } catch (IOException | IllegalArgumentException e) {
            log.warn("messages", FILE + " cannot be read; the previous messages stay in use: " + e);
        }
    }

    /** Some editors begin UTF-8 files with this mark, which would become part of the first key. */
    private static void skipByteOrderMark(BufferedReader reader) throws IOException {
        reader.mark(1);
        if (reader.read() != '\ufeff') {
            reader.reset();
        }
    }

    /**
     * Returns a message.
     *
     * @param values for {@code {0}}, {@code {1}} …; inserted unchanged
     */
    public String text(MessageKey key, Object... values) {
        String pattern = own.getProperty(key.key(), key.text());
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char letter = pattern.charAt(i);
            char next = i + 1 < pattern.length() ? pattern.charAt(i + 1) : ' ';
            int place = next - '0';
            if (letter == '&' && COLOURS.indexOf(next) >= 0) {
                text.append('\u00a7');
            } else if (letter == '{' && place >= 0 && place < values.length && pattern.startsWith("}", i + 2)) {
                text.append(values[place]);
                i += 2;
            } else {
                text.append(letter);
            }
        }
        return text.toString();
    }
}
