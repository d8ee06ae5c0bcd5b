package overworld.plugin.adapter;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores which servers were tried for each player who is on no server: a player who has just joined, was kicked from
 * a server, or whose server was lost.
 *
 * @param <T> the proxy's type of a text
 */
public final class Journeys<T> {
    private final Map<UUID, Journey<T>> journeys = new ConcurrentHashMap<>();

    /** Returns the player's search for a server, and starts one if there is none. */
    public Journey<T> of(UUID player) {
        return journeys.computeIfAbsent(player, key -> new Journey<>());
    }

    public boolean has(UUID player) {
        return journeys.containsKey(player);
    }

    /**
     * Ends the player's search for a server, because the player is on a server or has left.
     *
     * @return the search that has ended; empty if there was none
     */
    public Optional<Journey<T>> end(UUID player) {
        return Optional.ofNullable(journeys.remove(player));
    }

    /**
     * One player's search for the next server.
     *
     * @param <T> the proxy's type of a text
     */
    public static final class Journey<T> {
        private final Set<String> tried = ConcurrentHashMap.newKeySet();
        private volatile String target;
        private volatile String from;
        private volatile T reason;

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
        public Journey<T> towards(String server) {
            target = server;
            return this;
        }

        /** Returns the previous server of the player; null for a player who has just joined. */
        public String from() {
            return from;
        }

        /** Returns why that server kicked the player; empty if it crashed or gave no reason. */
        public Optional<T> reason() {
            return Optional.ofNullable(reason);
        }

        /**
         * Records that the player lost a server or was kicked from it.
         *
         * @param why the reason of the kick; null if the server crashed or gave no reason
         * @return this
         */
        public Journey<T> lost(String server, T why) {
            from = server;
            reason = why;
            tried.add(server);
            return this;
        }

        /**
         * Records a server that the player could not enter. Keeps the reason why the player lost the previous server.
         * Null changes nothing.
         *
         * @return this
         */
        public Journey<T> failed(String server) {
            if (server != null) {
                tried.add(server);
            }
            return this;
        }
    }
}
