package overworld.practice;

import java.util.Optional;

/** A text that a client shows, possibly in one of Minecraft's colours. */
public final class Text {
    private final String words;
    private final String colour;

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

    /** Returns the chat component in JSON, as all versions use it at login, and versions before 1.20.3 everywhere. */
    public String toJson() {
        return colour == null ? Json.chat(words) : Json.chat(words, colour);
    }
}
