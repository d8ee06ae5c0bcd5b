package overworld.practice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Who is in the game. Used by the server thread alone. */
final class PlayerList {
    /** As many names as a client's server list shows. */
    private static final int STATUS_SAMPLE = 12;

    private final ServerProperties properties;
    private final Extension extension;
    /** In order of joining; keyed without case, as names that differ only in case are one player. */
    private final Map<String, Play> byName = new LinkedHashMap<>();
    private int lastEntityId;

    PlayerList(ServerProperties properties, Extension extension) {
        this.properties = properties;
        this.extension = extension;
    }

    int max() {
        return properties.maxPlayers();
    }

    int timeoutMs() {
        return properties.timeoutMs();
    }

    /**
     * Looks whether a player of that name may join; the same name playing already is sent away for it, as in vanilla.
     *
     * @return why not, or nothing
     */
    Optional<String> makeRoomFor(String name) {
        Play twin = byName.get(key(name));
        if (twin != null) {
            twin.kick("You logged in from another location");
        } else if (byName.size() >= max()) {
            return Optional.of("The server is full!");
        }
        return Optional.empty();
    }

    /** @return the player's entity id */
    int add(Play player) {
        byName.put(key(player.profile().name), player);
        lastEntityId++;
        extension.joined(player);
        return lastEntityId;
    }

    void remove(Play player) {
        String key = key(player.profile().name);
        if (byName.get(key) == player) {
            extension.leaving(player);
            byName.remove(key);
        }
    }

    Optional<Play> find(String name) {
        return Optional.ofNullable(byName.get(key(name)));
    }

    /** Tells everybody who came and went. */
    void announce(String text) {
        Log.info(text);
        String json = Json.chat(text, "yellow");
        copy().forEach(player -> player.tell(json));
    }

    /** Lets everybody, the speaker too, hear what somebody said. */
    void chat(String line) {
        Log.info(line);
        String json = Json.chat(line);
        copy().forEach(player -> player.hear(json));
    }

    void kickAll(String reason) {
        copy().forEach(player -> player.kick(reason));
    }

    /** For people, in vanilla's words. */
    String describe() {
        return "There are " + byName.size() + " of a max of " + max() + " players online: "
                + copy().stream().map(player -> player.profile().name).collect(Collectors.joining(", "));
    }

    /** The {@code players} part of a status answer. */
    String toStatusJson() {
        String sample = byName.values().stream().limit(STATUS_SAMPLE)
                .map(player -> "{\"name\":" + Json.quote(player.profile().name) + ",\"id\":"
                        + Json.quote(player.profile().id.toString()) + "}")
                .collect(Collectors.joining(","));
        return "{\"max\":" + max() + ",\"online\":" + byName.size() + ",\"sample\":[" + sample + "]}";
    }

    /** All players, as they are now. A send that fails removes its player from the list while it is being walked. */
    List<Play> copy() {
        return new ArrayList<>(byName.values());
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
