package overworld.plugin.core;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Players who were told to go to a server and have not arrived, and servers that sent a player away a moment ago. Both are
 * forgotten by themselves.
 */
final class Reservations {
    /** A switch takes some hundred milliseconds; who has not arrived by then will not. */
    private static final long ON_THE_WAY_NS = 5_000_000_000L;
    /** Long enough to end a round through servers that all send a player away; short enough to try again soon. */
    private static final long SENT_AWAY_NS = 10_000_000_000L;

    private final LongSupplier clockNs;
    private final Map<UUID, Way> ways = new HashMap<>();
    private final Map<UUID, Map<String, Long>> sentAway = new HashMap<>();

    Reservations(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    synchronized void onTheWay(UUID player, String server) {
        ways.put(player, new Way(server, clockNs.getAsLong() + ON_THE_WAY_NS));
    }

    /** The player is somewhere now. */
    synchronized void arrived(UUID player) {
        ways.remove(player);
    }

    synchronized void sentAway(UUID player, String server) {
        sentAway.computeIfAbsent(player, any -> new HashMap<>()).put(server, clockNs.getAsLong() + SENT_AWAY_NS);
    }

    synchronized boolean wasSentAway(UUID player, String server) {
        Long until = sentAway.getOrDefault(player, Map.of()).get(server);
        return until != null && until - clockNs.getAsLong() > 0;
    }

    synchronized void left(UUID player) {
        ways.remove(player);
        sentAway.remove(player);
    }

    synchronized int toServer(String server) {
        long now = clockNs.getAsLong();
        return (int) ways.values().stream()
                .filter(way -> way.untilNs - now > 0 && way.server.equals(server))
                .count();
    }

    /** Forgets what is over. */
    synchronized void sweep() {
        long now = clockNs.getAsLong();
        ways.values().removeIf(way -> way.untilNs - now <= 0);
        sentAway.values().forEach(servers -> servers.values().removeIf(until -> until - now <= 0));
        sentAway.values().removeIf(Map::isEmpty);
    }

    private static final class Way {
        final String server;
        final long untilNs;

        Way(String server, long untilNs) {
            this.server = server;
            this.untilNs = untilNs;
        }
    }
}
