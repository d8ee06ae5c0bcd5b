package overworld.practice;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the part of YAML that configuration files of servers and proxies use: maps and lists (indented or in
 * brackets), texts with and without quotes, and comments. Anchors, tags and block texts are not supported.
 */
public final class SimpleYaml {
    private static final int MAX_FILE_BYTES = 1024 * 1024;

    /** A line without its comment and indentation. */
    private static final class Line {
        final int number;
        final int indent;
        final String text;

        Line(int number, int indent, String text) {
            this.number = number;
            this.indent = indent;
            this.text = text;
        }
    }

    private final String name;
    private final List<Line> lines = new ArrayList<>();
    private int at;

    private SimpleYaml(String name, String text) {
        this.name = name;
        String[] all = text.split("\r\n|\n|\r");
        for (int i = 0; i < all.length; i++) {
            String line = withoutComment(all[i]);
            String stripped = line.strip();
            if (!stripped.isEmpty() && !stripped.equals("---")) {
                lines.add(new Line(i + 1, line.indexOf(stripped.charAt(0)), stripped));
            }
        }
    }

    /**
     * Reads a file.
     *
     * @return the settings in the file: texts, maps and lists of these; empty if the file does not exist
     * @throws StartException if the file cannot be read or parsed
     */
    public static Map<String, Object> read(Path file) throws StartException {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new StartException(file + " has more than " + MAX_FILE_BYTES + " bytes");
            }
            // Bytes that are not valid UTF-8 can only occur in texts and comments; they become U+FFFD.
            return parse(file.toString(), new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return new LinkedHashMap<>();
        } catch (IOException e) {
            throw new StartException(file + " cannot be read: " + e);
        }
    }

    /** Parses a text as {@link #read} parses a file. {@code name} is the file's name for messages. */
    public static Map<String, Object> parse(String name, String text) throws StartException {
        SimpleYaml yaml = new SimpleYaml(name, text.startsWith("\ufeff") ? text.substring(1) : text);
        if (yaml.lines.isEmpty()) {
            return new LinkedHashMap<>();
        }
        Object root = yaml.block(yaml.lines.get(0).indent);
        if (yaml.at < yaml.lines.size()) {
            throw yaml.problem("is indented differently from the lines before it");
        }
        return mapOf(root);
    }

    /** Returns a parsed value as a map. Empty if the value is missing (null) or is no map. */
    @SuppressWarnings("unchecked") // The keys of parsed maps are texts.
    public static Map<String, Object> mapOf(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : new LinkedHashMap<>();
    }

    /** Returns a parsed value as a list. Empty if the value is missing (null) or is no list. */
    public static List<?> listOf(Object value) {
        return value instanceof List ? (List<?>) value : List.of();
    }

    private static String withoutComment(String line) {
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            boolean begins = i == 0 || " \t:[{,-".indexOf(line.charAt(i - 1)) >= 0;
            if (quote != 0) {
                quote = c == quote && line.charAt(i - 1) != '\\' ? 0 : quote;
            } else if ((c == '"' || c == '\'') && begins) {
                quote = c;
            } else if (c == '#' && (i == 0 || line.charAt(i - 1) == ' ')) {
                return line.substring(0, i);
            }
        }
        return line;
    }

    private boolean here(int indent) {
        return at < lines.size() && lines.get(at).indent == indent;
    }

    private static boolean isItem(String text) {
        return text.equals("-") || text.startsWith("- ");
    }

    private Object block(int indent) throws StartException {
        String text = lines.get(at).text;
        if (isItem(text)) {
            return list(indent);
        }
        return text.startsWith("{") || text.startsWith("[") ? scalar(lines.get(at++).text, indent) : map(indent);
    }

    private List<Object> list(int indent) throws StartException {
        List<Object> list = new ArrayList<>();
        while (here(indent) && isItem(lines.get(at).text)) {
            Line line = lines.get(at);
            String rest = line.text.substring(1).strip();
            int restIndent = indent + line.text.length() - rest.length();
            if (rest.isEmpty()) {
                at++;
                list.add(at < lines.size() && lines.get(at).indent > indent ? block(lines.get(at).indent) : "");
            } else if (keyEnd(rest) < 0 || rest.startsWith("{") || rest.startsWith("[")) {
                at++;
                list.add(scalar(rest, indent));
            } else {
                lines.set(at, new Line(line.number, restIndent, rest));
                list.add(map(restIndent));
            }
        }
        return list;
    }

    private Map<String, Object> map(int indent) throws StartException {
        Map<String, Object> map = new LinkedHashMap<>();
        while (here(indent) && !isItem(lines.get(at).text)) {
            String text = lines.get(at).text;
            int colon = keyEnd(text);
            if (colon < 0) {
                throw problem("has no \"name: value\"");
            }
            String key = unquoted(text.substring(0, colon).strip());
            String rest = text.substring(colon + 1).strip();
            at++;
            if (!rest.isEmpty()) {
                map.put(key, scalar(rest, indent));
            } else if (at < lines.size() && opensBlock(lines.get(at), indent)) {
                map.put(key, block(lines.get(at).indent));
            } else {
                map.put(key, "");
            }
        }
        return map;
    }

    /** Returns whether an indented block begins with the next line. A list need not be indented more than its key. */
    private static boolean opensBlock(Line next, int indent) {
        return next.indent > indent || (next.indent == indent && isItem(next.text));
    }

    /** Returns the position of the colon after a key; -1 if there is none. */
    private static int keyEnd(String text) {
        int from = 0;
        if (text.startsWith("\"") || text.startsWith("'")) {
            from = text.indexOf(text.charAt(0), 1) + 1;
        }
        for (int i = text.indexOf(':', from); i >= 0; i = text.indexOf(':', i + 1)) {
            if (i + 1 == text.length() || text.charAt(i + 1) == ' ') {
                return i;
            }
        }
        return -1;
    }

    /** Parses a value that begins on the current line. Following lines with a deeper indentation continue the value. */
    private Object scalar(String first, int indent) throws StartException {
        StringBuilder text = new StringBuilder(first);
        while (at < lines.size() && lines.get(at).indent > indent) {
            text.append(' ').append(lines.get(at++).text);
        }
        char begin = text.charAt(0);
        if (begin == '&' || begin == '*' || begin == '!' || begin == '|' || begin == '>') {
            at--;
            throw problem("uses YAML that is not supported");
        }
        return begin == '{' || begin == '[' ? new Flow(text.toString()).value() : unquoted(text.toString());
    }

    private static String unquoted(String text) {
        if (text.length() >= 2 && text.startsWith("'") && text.endsWith("'")) {
            return text.substring(1, text.length() - 1).replace("''", "'");
        }
        if (text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")) {
            return text.substring(1, text.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\");
        }
        return text.equals("null") || text.equals("~") ? "" : text;
    }

    private StartException problem(String what) {
        Line line = lines.get(Math.max(0, Math.min(at, lines.size() - 1)));
        return new StartException(name + ": line " + line.number + " " + what + ": " + line.text);
    }

    /** Parses maps and lists in brackets. */
    private final class Flow {
        private final String text;
        private int next;

        Flow(String text) {
            this.text = text;
        }

        Object value() throws StartException {
            skipSpace();
            char begin = next < text.length() ? text.charAt(next) : 0;
            if (begin == '{') {
                Map<String, Object> map = new LinkedHashMap<>();
                for (next++; !closes('}');) {
                    String key = word(":");
                    next++;
                    map.put(key, value());
                }
                return map;
            }
            if (begin == '[') {
                List<Object> list = new ArrayList<>();
                for (next++; !closes(']');) {
                    list.add(value());
                }
                return list;
            }
            return word(",}]");
        }

        private boolean closes(char bracket) throws StartException {
            skipSpace();
            while (next < text.length() && text.charAt(next) == ',') {
                next++;
                skipSpace();
            }
            if (next >= text.length()) {
                throw problem("ends inside brackets");
            }
            boolean closed = text.charAt(next) == bracket;
            next += closed ? 1 : 0;
            return closed;
        }

        private String word(String ends) throws StartException {
            skipSpace();
            int from = next;
            if (next < text.length() && (text.charAt(next) == '\'' || text.charAt(next) == '"')) {
                next = text.indexOf(text.charAt(next), next + 1) + 1;
                if (next == 0) {
                    throw problem("ends inside quotes");
                }
                skipSpace();
            }
            while (next < text.length() && ends.indexOf(text.charAt(next)) < 0) {
                next++;
            }
            if (next >= text.length()) {
                throw problem("ends inside brackets");
            }
            return unquoted(text.substring(from, next).strip());
        }

        private void skipSpace() {
            while (next < text.length() && text.charAt(next) == ' ') {
                next++;
            }
        }
    }
}
