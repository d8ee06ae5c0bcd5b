package overworld.plugin.core.link;

import java.util.LinkedHashMap;
import java.util.Map;
import overworld.plugin.core.json.JsonWriter;

/** Builder of a message to the master. */
public final class Message {
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private boolean patient;

    private Message(String type) {
        fields.put("type", type);
    }

    public static Message of(String type) {
        return new Message(type);
    }

    public Message with(String key, Object value) {
        fields.put(key, value);
        return this;
    }

    /**
     * Marks the message as one that may wait some milliseconds, so that it is sent together with later messages.
     * The sequence of messages stays the same.
     */
    public Message patient() {
        patient = true;
        return this;
    }

    boolean isPatient() {
        return patient;
    }

    /** Returns the message on one line, without a line end. */
    String line() {
        return JsonWriter.write(fields);
    }
}
