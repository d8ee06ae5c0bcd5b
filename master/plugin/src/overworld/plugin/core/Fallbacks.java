package overworld.plugin.core;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Which server a player goes to on joining, or after losing one (spec 2.1 {@code isFallback}, {@code joinPermission}).
 *
 * <p>Of those that are open, marked as fallback, permitted and have room, the fullest by its share of places: so the others
 * become empty and can be stopped, which saves hours of nodes. Among equally full ones the lowest template and number.
 * Example: lobby-1 with 3 of 10 and lobby-2 with 6 of 30 players: lobby-1 (30 % before 20 %).
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
        double fullest = -1;
        for (Backend backend : backends) {
            if (!backend.open() || !backend.fallback() || excluded.test(backend.id())) {
                continue;
            }
            int players = crowd.applyAsInt(backend);
            if (players >= backend.maxPlayers() || !isPermitted(backend, permission)) {
                continue;
            }
            double share = (double) players / backend.maxPlayers();
            // Of equals the first one stays: the lowest template and number.
            if (share > fullest) {
                best = backend;
                fullest = share;
            }
        }
        return Optional.ofNullable(best);
    }

    static boolean isPermitted(Backend backend, Predicate<String> permission) {
        return backend.permission().isEmpty() || permission.test(backend.permission());
    }
}
