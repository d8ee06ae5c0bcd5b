package overworld.plugin.core.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** Typed access to the fields of a JSON object. Each getter throws if the field is missing or has another type. */
public final class Fields {
    /** Form of a UUID. It is checked because UUID.fromString accepts strings that are not UUIDs. */
    private static final Pattern UUID_FORM = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Map<?, ?> fields;

    private Fields(Map<?, ?> fields) {
        this.fields = fields;
    }

    /**
     * Returns the fields of a value.
     *
     * @throws JsonException if the value is not an object
     */
    public static Fields of(Object value) throws JsonException {
        if (!(value instanceof Map)) {
            throw new JsonException("an object is expected");
        }
        return new Fields((Map<?, ?>) value);
    }

    public String text(String key) throws JsonException {
        return typed(key, String.class, "a string");
    }

    public boolean flag(String key) throws JsonException {
        return typed(key, Boolean.class, "true or false");
    }

    /** Returns a whole number from {@code least} to {@link Integer#MAX_VALUE}. */
    public int number(String key, int least) throws JsonException {
        long number = typed(key, Long.class, "a whole number");
        if (number < least || number > Integer.MAX_VALUE) {
            throw new JsonException(key + " is out of range");
        }
        return (int) number;
    }

    public boolean has(String key) {
        return fields.containsKey(key);
    }

    public boolean isNull(String key) throws JsonException {
        if (!fields.containsKey(key)) {
            throw new JsonException(key + " is missing");
        }
        return fields.get(key) == null;
    }

    public UUID uuid(String key) throws JsonException {
        String text = text(key);
        if (!UUID_FORM.matcher(text).matches()) {
            throw new JsonException(key + " must be a UUID");
        }
        return UUID.fromString(text);
    }

    public List<String> texts(String key) throws JsonException {
        List<String> texts = new ArrayList<>();
        for (Object item : typed(key, List.class, "a list")) {
            if (!(item instanceof String)) {
                throw new JsonException(key + " must contain only strings");
            }
            texts.add((String) item);
        }
        return texts;
    }

    public List<Fields> objects(String key) throws JsonException {
        List<Fields> objects = new ArrayList<>();
        for (Object item : typed(key, List.class, "a list")) {
            objects.add(of(item));
        }
        return objects;
    }

    private <T> T typed(String key, Class<T> type, String wanted) throws JsonException {
        Object value = fields.get(key);
        if (!type.isInstance(value)) {
            throw new JsonException(key + " must be " + wanted);
        }
        return type.cast(value);
    }
}
