package overworld.plugin.core.link;

import java.util.LinkedHashMap;
import java.util.Map;
import overworld.plugin.core.json.JsonWriter;

/** A message to the master, while it is being put together. */
public final class Message {
    private final Map<String, Object> fields = new LinkedHashMap<>();

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

    /** On one line, without its end. */
    String line() {
        return JsonWriter.write(fields);
    }
}
