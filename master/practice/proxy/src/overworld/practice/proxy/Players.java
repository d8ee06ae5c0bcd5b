package overworld.practice.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Who is on this proxy. From any thread; changed by the proxy thread. */
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

    /** A copy. */
    List<Player> all() {
        return new ArrayList<>(byId.values());
    }

    int count() {
        return byId.size();
    }

    /** For people. */
    String describe() {
        return "There are " + count() + " players on this proxy: " + all().stream()
                .map(player -> player.name + " (" + player.server() + ")")
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
