package overworld.practice.proxy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import overworld.practice.Log;

/**
 * Permissions of players, in place of a permissions plugin. They come from lines {@code <player or *> <permission>}
 * in {@code permissions.txt} and from console commands. May be used from any thread.
 */
final class Permissions {
    static final String FILE_NAME = "permissions.txt";
    private static final String EVERYBODY = "*";

    private final Map<String, Set<String>> held = new ConcurrentHashMap<>();

    /** Reads the file in a folder. The file may be missing. */
    static Permissions load(Path folder) {
        Permissions permissions = new Permissions();
        Path file = folder.resolve(FILE_NAME);
        if (Files.exists(file)) {
            try {
                for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                    String[] words = line.strip().split("\\s+");
                    if (words.length == 2 && !words[0].startsWith("#")) {
                        permissions.permit(words[0], words[1]);
                    }
                }
            } catch (IOException e) {
                Log.warn(FILE_NAME + " cannot be read, continuing without it: " + e);
            }
        }
        return permissions;
    }

    /**
     * Gives a player a permission.
     *
     * @param player a name, or {@code *} for all players
     */
    void permit(String player, String permission) {
        held.computeIfAbsent(key(player), name -> ConcurrentHashMap.newKeySet()).add(permission);
    }

    void forbid(String player, String permission) {
        held.computeIfPresent(key(player), (name, permissions) -> {
            permissions.remove(permission);
            return permissions;
        });
    }

    boolean has(String player, String permission) {
        return held.getOrDefault(key(player), Set.of()).contains(permission)
                || held.getOrDefault(EVERYBODY, Set.of()).contains(permission);
    }

    private static String key(String player) {
        return player.toLowerCase(Locale.ROOT);
    }
}
