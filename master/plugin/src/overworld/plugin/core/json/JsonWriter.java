package overworld.plugin.core.json;

import java.util.Iterator;
import java.util.Map;

/** Writes a value as JSON on one line. Maps, iterables, strings, numbers, booleans and null are allowed. */
public final class JsonWriter {
    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {}

    /**
     * Writes a value as JSON.
     *
     * @throws IllegalArgumentException for a type that JSON does not have
     */
    public static String write(Object value) {
        JsonWriter writer = new JsonWriter();
        writer.writeValue(value);
        return writer.out.toString();
    }

    private void writeValue(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            out.append(value);
        } else if (value instanceof Double && Double.isFinite((Double) value)) {
            out.append(value);
        } else if (value instanceof CharSequence) {
            writeString((CharSequence) value);
        } else if (value instanceof Map) {
            writeObject((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            writeArray((Iterable<?>) value);
        } else {
            throw new IllegalArgumentException("not a JSON value: " + value.getClass());
        }
    }

    private void writeObject(Map<?, ?> object) {
        String before = "{";
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(before);
            writeString(entry.getKey().toString());
            out.append(':');
            writeValue(entry.getValue());
            before = ",";
        }
        out.append(object.isEmpty() ? "{}" : "}");
    }

    private void writeArray(Iterable<?> array) {
        out.append('[');
        Iterator<?> items = array.iterator();
        while (items.hasNext()) {
            writeValue(items.next());
            if (items.hasNext()) {
                out.append(',');
            }
        }
        out.append(']');
    }

    private void writeString(CharSequence string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char letter = string.charAt(i);
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ' || letter == 127 || isHalf(string, i)) {
                out.append(String.format("\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }

    /**
     * Returns whether the character is a surrogate without its partner. UTF-8 cannot encode it and would replace it
     * with a question mark.
     */
    private static boolean isHalf(CharSequence string, int i) {
        char letter = string.charAt(i);
        if (Character.isHighSurrogate(letter)) {
            return i + 1 == string.length() || !Character.isLowSurrogate(string.charAt(i + 1));
        }
        return Character.isLowSurrogate(letter) && (i == 0 || !Character.isHighSurrogate(string.charAt(i - 1)));
    }
}
