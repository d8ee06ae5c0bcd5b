package overworld.plugin.core.players;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Compares the players on the proxy with the stored players every second, and corrects events that an adapter missed,
 * so that no absent player keeps a slot. A difference is corrected only if it is found twice in a row, because proxy
 * and core may differ for a moment.
 */
public final class Comparison {
    private final Sessions sessions;
    private final Correction correction;
    private Map<UUID, String> lastTime = new HashMap<>();

    /** Called for the events that were missed. */
    public interface Correction {
        void joined(UUID player, String name);

        void switched(UUID player, String server);

        void left(UUID player);
    }

    public Comparison(Sessions sessions, Correction correction) {
        this.sessions = sessions;
        this.correction = correction;
    }

    public void compare(Collection<OnlinePlayer> online) {
        Map<UUID, String> differences = new HashMap<>();
        Map<UUID, OnlinePlayer> here = new HashMap<>();
        for (OnlinePlayer player : online) {
            here.put(player.uuid(), player);
            if (!sessions.has(player.uuid())) {
                differences.put(player.uuid(), "unknown");
            } else if (!Objects.equals(player.server(), sessions.serverOf(player.uuid()))) {
                differences.put(player.uuid(), "on " + player.server());
            }
        }
        for (UUID player : sessions.players()) {
            if (!here.containsKey(player)) {
                differences.put(player, "gone");
            }
        }
        differences.forEach((player, difference) -> {
            if (difference.equals(lastTime.get(player))) {
                correct(player, here.get(player));
            }
        });
        lastTime = differences;
    }

    private void correct(UUID player, OnlinePlayer here) {
        if (here == null) {
            correction.left(player);
            return;
        }
        correction.joined(player, here.name());
        correction.switched(player, here.server());
    }
}
