package overworld.plugin.adapter;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores which servers were tried for each player who is on no server: a player who has just joined, was kicked from
 * a server, or whose server was lost.
 */
public final class Journeys {
    private final Map<UUID, Journey> journeys = new ConcurrentHashMap<>();

    /** Returns the player's search for a server, and starts one if there is none. */
    public Journey of(UUID player) {
        return journeys.computeIfAbsent(player, key -> new Journey());
    }

    public boolean has(UUID player) {
        return journeys.containsKey(player);
    }

    /**
     * Ends the player's search for a server, because the player is on a server or has left.
     *
     * @return the search that has ended; empty if there was none
     */
    public Optional<Journey> end(UUID player) {
        return Optional.ofNullable(journeys.remove(player));
    }

    /** One player's search for the next server. */
    public static final class Journey {
        private final Set<String> tried = ConcurrentHashMap.newKeySet();
        private volatile String target;
        private volatile String from;
        private volatile Runnable onArrival = () -> {};

        /** Returns the servers that were lost, that kicked the player, or that could not be entered. */
        public Set<String> tried() {
            return tried;
        }

        /** Returns the server that the player is being sent to; null before the first attempt. */
        public String target() {
            return target;
        }

        /**
         * Sets the server that the player is being sent to.
         *
         * @return this
         */
        public Journey towards(String server) {
            target = server;
            return this;
        }

        /** Returns the previous server of the player; null for a player who has just joined. */
        public String from() {
            return from;
        }

        /**
         * Records that the player lost a server or was kicked from it.
         *
         * @return this
         */
        public Journey lost(String server) {
            from = server;
            tried.add(server);
            return this;
        }

        /**
         * Sets the action to run once the player has arrived at a server, for example to explain the move. Replaces
         * an earlier action.
         */
        public void onArrival(Runnable action) {
            onArrival = action;
        }

        public void arrived() {
            onArrival.run();
        }

        /**
         * Records a server that the player could not enter. Null changes nothing.
         *
         * @return this
         */
        public Journey failed(String server) {
            if (server != null) {
                tried.add(server);
            }
            return this;
        }
    }
}
