package overworld.plugin.core.network;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Chooses the server for a player who joins or has lost a server (docs/specification.md#isfallback
 * {@code isFallback}, {@code joinPermission}).
 *
 * <p>Considers fallbacks that are open, that the player may join and that have room. Among the fallbacks below their
 * fill level, it chooses the fallback with the largest share of taken slots, so that the others become empty and can
 * be stopped. If all have reached their fill level, it chooses the fallback with the smallest share. If shares are
 * equal, the lowest template and number come first.
 *
 * <p>Example: lobby-1 with 3 of 10 and lobby-2 with 6 of 30 players → lobby-1 (30 % before 20 %).
 */
public final class Fallbacks {
    private Fallbacks() {}

    /**
     * Chooses a backend.
     *
     * @param backends all backends, sorted by template and number
     * @param crowd returns the number of players who are on a backend or are being sent to it
     * @param excluded ids that are not considered
     * @param permission returns whether the player has a permission
     */
    public static Optional<Backend> choose(
            List<Backend> backends,
            ToIntFunction<Backend> crowd,
            Predicate<String> excluded,
            Predicate<String> permission) {
        Backend best = null;
        double bestRank = Double.NEGATIVE_INFINITY;
        for (Backend backend : backends) {
            if (!backend.open() || !backend.fallback() || excluded.test(backend.id())) {
                continue;
            }
            int players = crowd.applyAsInt(backend);
            if (players >= backend.maxPlayers() || !isPermitted(backend, permission)) {
                continue;
            }
            double rank = rank(backend, players);
            // If two are equal, the first backend stays: the one with the lowest template and number.
            if (rank > bestRank) {
                best = backend;
                bestRank = rank;
            }
        }
        return Optional.ofNullable(best);
    }

    /**
     * Returns the rank of a backend; the highest is chosen. Below the fill level it is at least 0 and rises with
     * the share of taken slots. From the fill level on it is negative and falls.
     */
    private static double rank(Backend backend, int players) {
        double share = (double) players / backend.maxPlayers();
        return players < backend.fillLevel() ? share : -share - 1;
    }

    public static boolean isPermitted(Backend backend, Predicate<String> permission) {
        return backend.permission().isEmpty() || permission.test(backend.permission());
    }
}
