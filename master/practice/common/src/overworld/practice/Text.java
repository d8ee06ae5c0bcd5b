package overworld.practice;

import java.util.Optional;

/** A text that clients show, possibly in one of Minecraft's colours. Used by one thread. */
public final class Text {
    private final String words;
    private final String colour;
    /** The component in JSON, which is the same for all players; null until a player needs it. */
    private String json;

    private Text(String words, String colour) {
        this.words = words;
        this.colour = colour;
    }

    /** Returns a text without a colour. */
    public static Text of(String words) {
        return new Text(words, null);
    }

    /** Returns a text in one of Minecraft's colours, such as {@code yellow}. */
    public static Text of(String words, String colour) {
        return new Text(words, colour);
    }

    public String words() {
        return words;
    }

    public Optional<String> colour() {
        return Optional.ofNullable(colour);
    }

    /**
     * Returns the chat component in JSON. All versions use JSON at login; versions before 1.20.3 use it everywhere.
     */
    public String toJson() {
        if (json == null) {
            json = colour == null ? Json.chat(words) : Json.chat(words, colour);
        }
        return json;
    }
}
