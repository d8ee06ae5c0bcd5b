package overworld.plugin.core.json;

/** Text is no JSON, or JSON holds something else than it should. */
public final class JsonException extends Exception {
    private static final long serialVersionUID = 1L;

    public JsonException(String message) {
        super(message);
    }
}
