package overworld.practice.proxy;

import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** Functions of this proxy that Overworld's plugin can call, from any thread. */
public interface ProxyControl {
    /** A player on this proxy, as the plugin sees it. */
    final class Seen {
        public final UUID id;
        public final String name;
        /** Name of the player's server; null if the player is on none. */
        public final String server;

        public Seen(UUID id, String name, String server) {
            this.id = id;
            this.name = name;
            this.server = server;
        }
    }

    void addServer(String name, String host, int port);

    void removeServer(String name);

    /** Returns a copy of the list of players. */
    List<Seen> players();

    void connect(UUID player, String server);

    void kick(UUID player, String message);

    void message(UUID player, String text);

    boolean hasPermission(UUID player, String permission);

    /** Returns whether a player has a permission, even if the player has not joined yet. */
    boolean hasPermission(String playerName, String permission);

    /** Returns a function that writes the plugin's log lines: a text, and whether it is a warning. */
    BiConsumer<String, Boolean> log();
}
