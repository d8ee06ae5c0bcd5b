package overworld.plugin.core.link;

import java.util.LinkedHashMap;
import java.util.Map;
import overworld.plugin.core.json.JsonWriter;

/** A message to the master, while it is being put together. */
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

    /** Nobody waits for it: it may go with what comes in the next milliseconds, after all that was sent before it. */
    public Message patient() {
        patient = true;
        return this;
    }

    boolean isPatient() {
        return patient;
    }

    /** On one line, without its end. */
    String line() {
        return JsonWriter.write(fields);
    }
}
