package overworld.practice.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Players on this proxy. May be read from any thread; only the proxy thread changes the list. */
final class Players {
    private final Map<UUID, Player> byId = new ConcurrentHashMap<>();

    void add(Player player) {
        byId.put(player.id, player);
    }

    void remove(Player player) {
        byId.remove(player.id, player);
    }

    Optional<Player> find(UUID id) {
        return Optional.ofNullable(byId.get(id));
    }

    Optional<Player> find(String name) {
        return byId.values().stream().filter(player -> player.name.equalsIgnoreCase(name)).findFirst();
    }

    /** Returns a copy of the list of players. */
    List<Player> all() {
        return new ArrayList<>(byId.values());
    }

    int count() {
        return byId.size();
    }

    /** Returns the list of players as a line for people. */
    String describe() {
        return "There are " + count() + " players on this proxy: " + all().stream()
                .map(player -> player.name + " (" + player.server() + ")")
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
