package overworld.plugin.core;

import java.util.Comparator;
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
        return backends.stream()
                .filter(backend -> backend.open() && backend.fallback())
                .filter(backend -> !excluded.test(backend.id()))
                .filter(backend -> crowd.applyAsInt(backend) < backend.maxPlayers())
                .filter(backend -> isPermitted(backend, permission))
                // `max` keeps the last of equals: the order is turned for the lowest to win.
                .max(Comparator.<Backend>comparingDouble(
                                backend -> (double) crowd.applyAsInt(backend) / backend.maxPlayers())
                        .thenComparing(Backend::id, Names.BY_TEMPLATE_AND_NUMBER.reversed()));
    }

    static boolean isPermitted(Backend backend, Predicate<String> permission) {
        return backend.permission().isEmpty() || permission.test(backend.permission());
    }
}
