package overworld.practice.proxy;

import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** What Overworld's plugin can do with this proxy. All methods may be called from any thread. */
public interface ProxyControl {
    /** Somebody who is on this proxy. */
    final class Seen {
        public final UUID id;
        public final String name;
        /** Null while on none. */
        public final String server;

        public Seen(UUID id, String name, String server) {
            this.id = id;
            this.name = name;
            this.server = server;
        }
    }

    void addServer(String name, String host, int port);

    void removeServer(String name);

    /** A copy. */
    List<Seen> players();

    void connect(UUID player, String server);

    void kick(UUID player, String message);

    void message(UUID player, String text);

    boolean hasPermission(UUID player, String permission);

    /** As {@link #hasPermission}, for somebody who is not on this proxy yet. */
    boolean hasPermission(String playerName, String permission);

    /** What the log gets from the plugin: a text, and whether it is a warning. */
    BiConsumer<String, Boolean> log();
}
