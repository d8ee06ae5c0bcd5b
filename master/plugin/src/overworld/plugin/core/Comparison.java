package overworld.plugin.core;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Compares every second who is on the proxy with who is known, and puts right what an adapter missed: no ghost holds a
 * place, nobody is here unseen. Only what is so twice in a row counts, as between two events proxy and core may differ.
 */
final class Comparison {
    private final Sessions sessions;
    private final Correction correction;
    private Map<UUID, String> lastTime = new HashMap<>();

    /** What is put right; the events that were missed. */
    interface Correction {
        void joined(UUID player, String name);

        void switched(UUID player, String server);

        void left(UUID player);
    }

    Comparison(Sessions sessions, Correction correction) {
        this.sessions = sessions;
        this.correction = correction;
    }

    void compare(Collection<OnlinePlayer> online) {
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
