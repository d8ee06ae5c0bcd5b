package overworld.plugin.core.network;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Stores which players are being sent to a server, and which servers have sent a player away in the last seconds.
 * Both expire automatically.
 */
public final class Reservations {
    /**
     * Time after which a player who has not arrived is no longer expected (ns). Changing the server takes some
     * hundred milliseconds.
     */
    private static final long ON_THE_WAY_NS = 5_000_000_000L;
    /**
     * Time during which a server that sent a player away is not chosen again for that player (ns). It prevents
     * loops through servers that all send a player away, and still allows another attempt soon.
     */
    private static final long SENT_AWAY_NS = 10_000_000_000L;

    private final LongSupplier clockNs;
    private final Map<UUID, Way> ways = new HashMap<>();
    /** Number of reservations per server. It is stored because each join needs it for each server. */
    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<UUID, Map<String, Long>> sentAway = new HashMap<>();

    public Reservations(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    public synchronized void onTheWay(UUID player, String server) {
        end(ways.put(player, new Way(server, clockNs.getAsLong() + ON_THE_WAY_NS)));
        counts.merge(server, 1, Integer::sum);
    }

    /** Removes the reservation of a player who has arrived. */
    public synchronized void arrived(UUID player) {
        end(ways.remove(player));
    }

    public synchronized void sentAway(UUID player, String server) {
        sentAway.computeIfAbsent(player, any -> new HashMap<>()).put(server, clockNs.getAsLong() + SENT_AWAY_NS);
    }

    public synchronized boolean wasSentAway(UUID player, String server) {
        Long until = sentAway.getOrDefault(player, Map.of()).get(server);
        return until != null && until - clockNs.getAsLong() > 0;
    }

    public synchronized void left(UUID player) {
        end(ways.remove(player));
        sentAway.remove(player);
    }

    /** Returns a server's number of reservations, including those that have expired since the last {@link #sweep}. */
    public synchronized int toServer(String server) {
        return counts.getOrDefault(server, 0);
    }

    /** Removes expired entries. */
    public synchronized void sweep() {
        long now = clockNs.getAsLong();
        ways.values().removeIf(way -> {
            boolean over = way.untilNs - now <= 0;
            if (over) {
                end(way);
            }
            return over;
        });
        sentAway.values().forEach(servers -> servers.values().removeIf(until -> until - now <= 0));
        sentAway.values().removeIf(Map::isEmpty);
    }

    private void end(Way way) {
        if (way != null) {
            counts.computeIfPresent(way.server, (server, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        }
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
