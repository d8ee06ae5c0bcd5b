package overworld.plugin.core;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Chooses the server for a player who joins or has lost a server (docs/specification.md#isfallback {@code
 * isFallback}, {@code joinPermission}).
 *
 * <p>Considers fallbacks that are open, permitted and have room, and chooses the one with the largest share
 * of taken places below its fill level. The others become empty and can be stopped, and an empty spare stays empty.
 * If all have reached their levels, it chooses the one with the smallest share. Ties go to the lowest template and
 * number.
 *
 * <p>Example: lobby-1 with 3 of 10 and lobby-2 with 6 of 30 players → lobby-1 (30 % before 20 %).
 */
final class Fallbacks {
    private Fallbacks() {}

    /**
     * Chooses a backend.
     *
     * @param backends by template and number
     * @param crowd returns the number of players on a backend and on their way there
     * @param excluded ids that are not considered
     * @param permission returns whether the player has a permission
     */
    static Optional<Backend> choose(
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
            // On a tie the first backend stays: the one with the lowest template and number.
            if (rank > bestRank) {
                best = backend;
                bestRank = rank;
            }
        }
        return Optional.ofNullable(best);
    }

    /**
     * Returns the rank: below the level at least 0 and rising with the share of taken places, at or above it
     * negative and falling.
     */
    private static double rank(Backend backend, int players) {
        double share = (double) players / backend.maxPlayers();
        return players < backend.fillLevel() ? share : -share - 1;
    }

    static boolean isPermitted(Backend backend, Predicate<String> permission) {
        return backend.permission().isEmpty() || permission.test(backend.permission());
    }
}
