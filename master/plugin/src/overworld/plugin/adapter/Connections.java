package overworld.plugin.adapter;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import overworld.plugin.core.ProxyCore;

/**
 * Stores the connection of each player, and reports to the core who has joined and left. An account may join again
 * before the proxy reports the end of its previous connection. The end of a previous connection changes nothing.
 *
 * @param <K> the proxy's type of a player's connection; connections are compared by identity
 */
public final class Connections<K> {
    private final ProxyCore core;
    private final Journeys<?> journeys;
    /**
     * The latest connection of each player. The core is called inside this map's atomic methods, so that it receives
     * the joins and the ends of one account in the order of the changes here.
     */
    private final ConcurrentMap<UUID, K> latest = new ConcurrentHashMap<>();

    public Connections(ProxyCore core, Journeys<?> journeys) {
        this.core = core;
        this.journeys = journeys;
    }

    /** Records that a connection has become a player. */
    public void joined(K connection, UUID player, String name) {
        latest.compute(player, (uuid, previous) -> {
            journeys.end(uuid);
            core.joined(uuid, name);
            return connection;
        });
    }

    /** Records the end of a connection. Ignores connections that never became players. */
    public void ended(K connection, UUID player) {
        latest.computeIfPresent(player, (uuid, now) -> {
            if (now != connection) {
                return now;
            }
            journeys.end(uuid);
            core.left(uuid);
            return null;
        });
    }
}
