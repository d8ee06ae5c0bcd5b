package overworld.plugin.core.platform;

import java.nio.file.Path;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.players.OnlinePlayer;

/**
 * What the core needs from a proxy. There is one implementation per proxy software. Methods are called from several
 * threads of the core and must not wait for players or the network. The core logs exceptions that they throw.
 */
public interface ProxyPlatform {
    /** Returns the platform's name on the link: {@code bungeecord}, {@code velocity} or {@code practice}. */
    String kind();

    /** Returns name and version of the proxy software, such as {@code BungeeCord 1.21}. */
    String software();

    /** Returns the service's folder, which contains the hand-over file and the messages file. */
    Path folder();

    /** Registers a game server under its id. Replaces a registered server of the same name. */
    void register(Backend backend);

    /** Unregisters a game server that {@link #register} registered. Its players stay. */
    void unregister(String id);

    /** Returns a copy of the list of players on this proxy. Logins in progress are not included. */
    Collection<OnlinePlayer> players();

    /** Sends a player to a server. Does nothing if the player is offline. */
    void connect(UUID player, String server);

    /** Disconnects a player. Does nothing if the player is offline. */
    void kick(UUID player, String message);

    /** Shows a chat message to a player. Does nothing if the player is offline. */
    void message(UUID player, String text);

    boolean hasPermission(UUID player, String permission);

    /**
     * Fires this platform's {@code GlobalPlayerLimitReachedEvent}. Its listeners may let a refused player join, or
     * change the message.
     *
     * @param message default message for the player
     * @return the decision; a failure counts as {@code LimitDecision.refuse(message)}
     */
    CompletableFuture<LimitDecision> limitReached(UUID player, String name, int online, int limit, String message);

    void log(Level level, String message);
}
