package overworld.plugin.core;

import java.nio.file.Path;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;

/**
 * A proxy, as far as the core needs it; one implementation for each kind of proxy. All methods are called from threads
 * of the core, several at a time, and must not wait for players or for the network. What they throw is logged and
 * goes no further.
 */
public interface ProxyPlatform {
    /** As the link calls it: {@code bungeecord}, {@code velocity} or {@code practice}. */
    String kind();

    /** The proxy's own name and version, as {@code BungeeCord 1.21}. */
    String software();

    /** The service's folder: where the hand-over file and the messages file lie. */
    Path folder();

    /** Makes a game server known under its id. One of the same name and another address is replaced. */
    void register(Backend backend);

    /** Forgets a game server that {@link #register} made known. Players who are on it stay. */
    void unregister(String id);

    /** Everybody who is on this proxy now, a copy. Without those who are still logging in. */
    Collection<OnlinePlayer> players();

    /** Sends a player to a server; one that is not there is left alone. */
    void connect(UUID player, String server);

    /** Ends a player's connection; one that is not there is left alone. */
    void kick(UUID player, String message);

    /** Shows a line of chat to a player; one that is not there is left alone. */
    void message(UUID player, String text);

    boolean hasPermission(UUID player, String permission);

    /**
     * The limit keeps a player out: fires this platform's {@code GlobalPlayerLimitReachedEvent}, in which other plugins
     * may let the player in or say something else.
     *
     * @param message what the player is told if no plugin says otherwise
     * @return what came out of it; a failure counts as {@code LimitDecision.refuse(message)}
     */
    CompletableFuture<LimitDecision> limitReached(UUID player, String name, int online, int limit, String message);

    void log(Level level, String message);
}
