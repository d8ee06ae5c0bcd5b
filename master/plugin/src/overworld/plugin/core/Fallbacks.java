package overworld.plugin.core;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Which server a player goes to on joining, or after losing one (docs/specification.md#isfallback {@code isFallback}, {@code joinPermission}).
 *
 * <p>Of those that are open, marked as fallback, permitted and have room, the fullest by its share of places that is below its
 * fill level: so the others become empty and can be stopped, and the empty spare stays one. When all have reached their
 * levels, the one with the smallest share. Among equally full ones the lowest template and number. Example: lobby-1 with 3 of 10
 * and lobby-2 with 6 of 30 players: lobby-1 (30 % before 20 %).
 */
final class Fallbacks {
    private Fallbacks() {}

    /**
     * @param backends by template and number
     * @param crowd players on a backend, and those on their way there
     * @param excluded ids that are out of the question
     * @param permission tells whether the player holds a permission
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
            // Of equals the first one stays: the lowest template and number.
            if (rank > bestRank) {
                best = backend;
                bestRank = rank;
            }
        }
        return Optional.ofNullable(best);
    }

    /** From 0 on and the fuller the higher below its level; negative and the fuller the lower from there on. */
    private static double rank(Backend backend, int players) {
        double share = (double) players / backend.maxPlayers();
        return players < backend.fillLevel() ? share : -share - 1;
    }

    static boolean isPermitted(Backend backend, Predicate<String> permission) {
        return backend.permission().isEmpty() || permission.test(backend.permission());
    }
}
