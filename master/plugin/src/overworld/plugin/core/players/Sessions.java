package overworld.plugin.core.players;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Names;

/**
 * The players on this proxy and their servers. Each change is reported to the master. At the start of each connection
 * to the master, the complete list is reported.
 */
public final class Sessions extends Linked {
    /**
     * Maximum number of players per message. The link allows 500, but with the longest names 500 players exceed the
     * maximum length of a line.
     */
    private static final int PLAYERS_PER_MESSAGE = 250;

    private final Map<UUID, Session> sessions = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Predicate<String> isOurs;

    /**
     * Creates an empty list.
     *
     * @param isOurs returns whether a server belongs to this network; other servers are not reported to the master
     */
    public Sessions(Predicate<String> isOurs) {
        this.isOurs = isOurs;
    }

    /**
     * Adds a player. Does nothing if the player is already known.
     *
     * @param beyond whether a plugin let the player join beyond the limit
     */
    public synchronized void joined(UUID player, String name, boolean beyond) {
        if (sessions.containsKey(player)) {
            return;
        }
        Session session = new Session(player, Names.clean(name), System.currentTimeMillis());
        sessions.put(player, session);
        tell(Message.of("joined").with("player", session.toJson()).with("beyond", beyond).patient());
    }

    /**
     * Records the server that a player is on.
     *
     * @param server null if the player is on none
     */
    public synchronized void switched(UUID player, String server) {
        Session session = sessions.get(player);
        if (session == null) {
            return;
        }
        count(session.server, -1);
        count(server, 1);
        session.server = server;
        // If a server was removed from the network, its players are still reported as being on it until they move.
        String told = server != null && (isOurs.test(server) || server.equals(session.told)) ? server : null;
        if (told == null ? session.told != null : !told.equals(session.told)) {
            session.told = told;
            tell(Message.of("switched").with("uuid", player.toString()).with("server", told).patient());
        }
    }

    /**
     * Removes a player.
     *
     * @return false if the player was unknown
     */
    public synchronized boolean left(UUID player) {
        Session session = sessions.remove(player);
        if (session == null) {
            return false;
        }
        count(session.server, -1);
        tell(Message.of("left").with("uuid", player.toString()).patient());
        return true;
    }

    /** Reports to the master each player whose server was added to the network after the player had entered it. */
    public synchronized void review() {
        for (Session session : new ArrayList<>(sessions.values())) {
            if (session.server != null && session.told == null) {
                switched(session.player, session.server);
            }
        }
    }

    synchronized boolean has(UUID player) {
        return sessions.containsKey(player);
    }

    public synchronized int size() {
        return sessions.size();
    }

    public synchronized int on(String server) {
        return counts.getOrDefault(server, 0);
    }

    /** Returns the player's server; null if there is none or the player is unknown. */
    public synchronized String serverOf(UUID player) {
        Session session = sessions.get(player);
        return session == null ? null : session.server;
    }

    synchronized List<UUID> players() {
        return new ArrayList<>(sessions.keySet());
    }

    @Override
    protected void introduce() {
        List<Object> part = new ArrayList<>();
        for (Session session : sessions.values()) {
            part.add(session.toJson());
            if (part.size() == PLAYERS_PER_MESSAGE) {
                tell(Message.of("players").with("players", part).with("done", false));
                part = new ArrayList<>();
            }
        }
        tell(Message.of("players").with("players", part).with("done", true));
    }

    private void count(String server, int change) {
        if (server != null) {
            counts.merge(server, change, (a, b) -> a + b == 0 ? null : Integer.valueOf(a + b));
        }
    }

    private static final class Session {
        final UUID player;
        final String name;
        final long since;
        String server;
        /** The server that was last reported to the master; null for none. */
        String told;

        Session(UUID player, String name, long since) {
            this.player = player;
            this.name = name;
            this.since = since;
        }

        Map<String, Object> toJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("uuid", player.toString());
            json.put("name", name);
            json.put("server", told);
            json.put("since", since);
            return json;
        }
    }
}
