package overworld.plugin.core.network;

import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.link.Names;

/** The fields of a {@link Backend} while its JSON is parsed (shared/link/messages.ts, backendSchema). */
final class BackendFields {
    private static final int MAX_PORT = 65_535;

    String id;
    String template;
    String name;
    String host;
    int port;
    boolean fallback;
    String permission;
    int players;
    int maxPlayers;
    int fillLevel;
    boolean open;

    static Backend read(Fields json) throws JsonException {
        BackendFields fields = new BackendFields();
        fields.id = json.text("id");
        fields.template = json.text("template");
        fields.name = json.text("name");
        fields.host = json.text("host");
        fields.port = json.number("port", 1);
        fields.fallback = json.flag("fallback");
        fields.permission = json.text("permission");
        fields.players = json.number("players", 0);
        fields.maxPlayers = json.number("maxPlayers", 0);
        // A master of an earlier version does not send this field.
        fields.fillLevel = json.has("fillLevel") ? json.number("fillLevel", 0) : fields.maxPlayers;
        fields.open = json.flag("open");
        if (!Names.isServiceId(fields.id) || fields.host.isEmpty() || fields.port > MAX_PORT) {
            throw new JsonException("a backend has an invalid id or address");
        }
        return new Backend(fields);
    }
}
