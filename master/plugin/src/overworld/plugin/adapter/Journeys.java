package overworld.plugin.adapter;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Players who are without a server: just joined, kicked from one, or their server was lost. */
public final class Journeys {
    private final Map<UUID, Journey> journeys = new ConcurrentHashMap<>();

    /** The player's journey, begun now if there is none. */
    public Journey of(UUID player) {
        return journeys.computeIfAbsent(player, key -> new Journey());
    }

    public boolean has(UUID player) {
        return journeys.containsKey(player);
    }

    /** The player is on a server, or gone. @return the journey that has ended */
    public Optional<Journey> end(UUID player) {
        return Optional.ofNullable(journeys.remove(player));
    }

    /** One way from no server to the next one. */
    public static final class Journey {
        private final Set<String> tried = ConcurrentHashMap.newKeySet();
        private volatile String target;
        private volatile String from;
        private volatile Runnable onArrival = () -> {};

        /** Servers that were lost, that kicked the player, or that could not be entered. */
        public Set<String> tried() {
            return tried;
        }

        /** Where the player is being sent; null at the beginning. */
        public String target() {
            return target;
        }

        /** @return this, on the way to a server */
        public Journey towards(String server) {
            target = server;
            return this;
        }

        /** The server that the player was on before; null for one who has just joined. */
        public String from() {
            return from;
        }

        /** A server was left against the player's will. @return this */
        public Journey lost(String server) {
            from = server;
            tried.add(server);
            return this;
        }

        /** What is to be done once the player has arrived: telling why. Replaces what was to be done before. */
        public void onArrival(Runnable action) {
            onArrival = action;
        }

        public void arrived() {
            onArrival.run();
        }

        /** A server could not be entered; null changes nothing. @return this */
        public Journey failed(String server) {
            if (server != null) {
                tried.add(server);
            }
            return this;
        }
    }
}
