package overworld.plugin.core.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses one JSON text (RFC 8259) strictly: no trailing text, comments or duplicate keys, and limited depth. The
 * caller limits the length of the text. Objects become {@code Map<String, Object>}, arrays {@code List<Object>},
 * whole numbers of at most 18 characters {@code Long}, other numbers {@code Double}; null stays null.
 */
public final class JsonReader {
    /** Maximum nesting. The link's messages have three levels. Recursion of this depth fits any thread's stack. */
    private static final int MAX_DEPTH = 16;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Parses a text.
     *
     * @throws JsonException if the text is not exactly one JSON value; no other exception is thrown for any text
     */
    public static Object read(String text) throws JsonException {
        JsonReader reader = new JsonReader(text);
        reader.skipSpace();
        Object value = reader.readValue(0);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("the end");
        }
        return value;
    }

    private Object readValue(int depth) throws JsonException {
        if (depth > MAX_DEPTH) {
            throw new JsonException("JSON is nested more than " + MAX_DEPTH + " levels deep");
        }
        switch (peek()) {
            case '{':
                return readObject(depth);
            case '[':
                return readArray(depth);
            case '"':
                return readString();
            case 't':
                return readWord("true", Boolean.TRUE);
            case 'f':
                return readWord("false", Boolean.FALSE);
            case 'n':
                return readWord("null", null);
            default:
                return readNumber();
        }
    }

    private Map<String, Object> readObject(int depth) throws JsonException {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        skipSpace();
        if (skip('}')) {
            return object;
        }
        do {
            skipSpace();
            if (peek() != '"') {
                throw wrong("a key");
            }
            String key = readString();
            skipSpace();
            expect(':');
            skipSpace();
            Object value = readValue(depth + 1);
            if (object.containsKey(key)) {
                throw new JsonException("a key is repeated");
            }
            object.put(key, value);
            skipSpace();
        } while (skip(','));
        expect('}');
        return object;
    }

    private List<Object> readArray(int depth) throws JsonException {
        List<Object> array = new ArrayList<>();
        at++;
        skipSpace();
        if (skip(']')) {
            return array;
        }
        do {
            skipSpace();
            array.add(readValue(depth + 1));
            skipSpace();
        } while (skip(','));
        expect(']');
        return array;
    }

    private String readString() throws JsonException {
        at++;
        StringBuilder string = new StringBuilder();
        for (;;) {
            char letter = peek();
            at++;
            if (letter == '"') {
                return string.toString();
            }
            if (letter < ' ') {
                throw wrong("no control characters");
            }
            string.append(letter == '\\' ? readEscape() : letter);
        }
    }

    private char readEscape() throws JsonException {
        char letter = peek();
        at++;
        switch (letter) {
            case '"':
            case '\\':
            case '/':
                return letter;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return readUnit();
            default:
                throw wrong("an escape");
        }
    }

    private char readUnit() throws JsonException {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            char letter = peek();
            // Non-ASCII characters are excluded, because Character.digit accepts digits of all scripts.
            int digit = letter < 128 ? Character.digit(letter, 16) : -1;
            if (digit < 0) {
                throw wrong("a hexadecimal digit");
            }
            unit = unit * 16 + digit;
            at++;
        }
        return (char) unit;
    }

    private Object readWord(String word, Object value) throws JsonException {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private Object readNumber() throws JsonException {
        int start = at;
        skip('-');
        if (!skip('0')) {
            skipDigits();
        }
        boolean whole = true;
        if (skip('.')) {
            whole = false;
            skipDigits();
        }
        if (skip('e') || skip('E')) {
            whole = false;
            if (!skip('-')) {
                skip('+');
            }
            skipDigits();
        }
        String number = text.substring(start, at);
        // A number of up to 18 digits always fits into a long.
        if (whole && number.length() <= 18) {
            return Long.valueOf(number);
        }
        double value = Double.parseDouble(number);
        if (Double.isInfinite(value)) {
            throw new JsonException("a number is too large");
        }
        return value;
    }

    private void skipDigits() throws JsonException {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("a value");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char letter) {
        if (at < text.length() && text.charAt(at) == letter) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char letter) throws JsonException {
        if (!skip(letter)) {
            throw wrong("'" + letter + "'");
        }
    }

    private char peek() throws JsonException {
        if (at >= text.length()) {
            throw new JsonException("JSON ends unexpectedly");
        }
        return text.charAt(at);
    }

    private JsonException wrong(String wanted) {
        return new JsonException("JSON: expected " + wanted + " at character " + at);
    }
}
