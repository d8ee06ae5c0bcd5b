package overworld.practice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The players in the game. Used only by the server thread. */
final class PlayerList {
    /** Maximum number of player names in a status answer, because a client's server list shows no more. */
    private static final int STATUS_SAMPLE = 12;

    private final ServerProperties properties;
    private final Extension extension;
    /**
     * Players by name in lower case, first joined first. The keys ignore case, because names that differ only in
     * case belong to one player.
     */
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

    int keepAliveMs() {
        return properties.keepAliveMs();
    }

    /**
     * Checks whether a player with this name may join. If a player with the name is already in the game, that
     * player is disconnected first, as on a vanilla server.
     *
     * @return the reason why the player may not join; empty if the player may
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

    /**
     * Adds a player.
     *
     * @return the player's entity id
     */
    int add(Play player) {
        byName.put(key(player.profile().name), player);
        lastEntityId++;
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

    /** Announces a player who has been added and has spawned. */
    void announceJoin(Play player) {
        extension.joined(player);
        announce(player.profile().name + " joined the game");
    }

    /** Shows all players a message that a player has joined or left. */
    void announce(String text) {
        Log.info(text);
        Text message = Text.of(text, "yellow");
        copy().forEach(player -> player.tell(message));
    }

    /** Shows a chat line to all players, including its sender. */
    void chat(String line) {
        Log.info(line);
        Text message = Text.of(line);
        copy().forEach(player -> player.hear(message));
    }

    void kickAll(String reason) {
        copy().forEach(player -> player.kick(reason));
    }

    /** Returns the list of players as a line for people, in the words of a vanilla server. */
    String describe() {
        return "There are " + byName.size() + " of a max of " + max() + " players online: "
                + copy().stream().map(player -> player.profile().name).collect(Collectors.joining(", "));
    }

    /** Returns the {@code players} part of a status answer. */
    String toStatusJson() {
        String sample = byName.values().stream().limit(STATUS_SAMPLE)
                .map(player -> "{\"name\":" + Json.quote(player.profile().name) + ",\"id\":"
                        + Json.quote(player.profile().id.toString()) + "}")
                .collect(Collectors.joining(","));
        return "{\"max\":" + max() + ",\"online\":" + byName.size() + ",\"sample\":[" + sample + "]}";
    }

    /**
     * Returns a copy of the list of players. It is needed because a failing send removes its player from the list
     * during the iteration.
     */
    List<Play> copy() {
        return new ArrayList<>(byName.values());
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
