package overworld.plugin.core.json;

/** Thrown if a text is not JSON, or if the JSON has an unexpected type. */
public final class JsonException extends Exception {
    private static final long serialVersionUID = 1L;

    public JsonException(String message) {
        super(message);
    }
}
