package overworld.practice.proxy.packets;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts messages of servers to players into plain text, for the log and for messages. */
public final class Texts {
    /**
     * Matches a quoted text. The quantifier is possessive, because Java would otherwise recurse for each letter,
     * and a long text would overflow the stack.
     */
    private static final String WORDS = "\"((?:[^\"\\\\]|\\\\.)*+)\"";
    private static final Pattern TEXT = Pattern.compile("\"(?:text|translate)\"\\s*:\\s*" + WORDS);
    private static final Pattern QUOTED = Pattern.compile("\\s*" + WORDS + "\\s*");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    /** Maximum length of a server's message in a log line (UTF-16 units). */
    private static final int MAX_LOG_CHARS = 1_000;

    private Texts() {}

    /** Returns the texts of a chat component, joined together. A component without texts is returned unchanged. */
    public static String plain(String component) {
        Matcher whole = QUOTED.matcher(component);
        if (whole.matches()) {
            return unescaped(whole.group(1));
        }
        StringBuilder words = new StringBuilder();
        for (Matcher text = TEXT.matcher(component); text.find();) {
            words.append(unescaped(text.group(1)));
        }
        return words.length() == 0 ? component : words.toString();
    }

    /** Returns a server's message as log lines show it: cut off after 1,000 characters. */
    public static String forLog(String message) {
        return message.length() > MAX_LOG_CHARS ? message.substring(0, MAX_LOG_CHARS) + "..." : message;
    }

    private static String unescaped(String quoted) {
        return ESCAPE.matcher(quoted).replaceAll(escape -> Matcher.quoteReplacement(escape.group(1) == null
                ? (escape.group(2).equals("n") ? "\n" : escape.group(2))
                : String.valueOf((char) Integer.parseInt(escape.group(1), 16))));
    }
}
