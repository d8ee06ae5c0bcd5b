package overworld.practice;

/** Writes the few forms of JSON that the protocol needs: quoted text and chat components. */
public final class Json {
    private Json() {}

    /** Quotes a text as a JSON string. */
    public static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '\u007f' || Character.isSurrogate(c)) {
                // Surrogates are escaped, too: a surrogate without its partner cannot be sent as UTF-8, but an
                // escape always can.
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** Returns a chat component that shows a text unchanged. */
    public static String chat(String text) {
        return "{\"text\":" + quote(text) + "}";
    }

    /** Returns a chat component in one of Minecraft's colours, such as {@code yellow}. */
    public static String chat(String text, String colour) {
        return "{\"text\":" + quote(text) + ",\"color\":" + quote(colour) + "}";
    }
}
