package overworld.api.bungee;

import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.config.ConfigurationAdapter;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.plugin.Cancellable;
import net.md_5.bungee.api.plugin.Event;

/**
 * Fired when a player wants to join and the network is full ({@code max_online_players}).
 *
 * <p>The event starts cancelled: the player is refused with {@link #getMessage}. If a listener sets it to not
 * cancelled, the player may join beyond the limit. The event is also fired if all slots of this proxy are taken
 * and the master is unreachable, because it is then unknown whether the network is full.
 *
 * <p>Fired on a thread of its own. Listeners may take up to 5 seconds; the player waits for them.
 */
public final class GlobalPlayerLimitReachedEvent extends Event implements Cancellable {
    private final PendingConnection connection;
    private final int online;
    private final int limit;
    private volatile String message;
    private volatile boolean cancelled = true;

    /** Creates the event. For Overworld's own plugin only. */
    public GlobalPlayerLimitReachedEvent(PendingConnection connection, int online, int limit, String message) {
        this.connection = connection;
        this.online = online;
        this.limit = limit;
        this.message = message;
    }

    /**
     * Returns the connection of the player who logs in. The account is authenticated. There is no ProxiedPlayer
     * yet.
     */
    public PendingConnection getConnection() {
        return connection;
    }

    public UUID getUniqueId() {
        return connection.getUniqueId();
    }

    public String getName() {
        return connection.getName();
    }

    /**
     * Returns whether the proxy's own groups ({@code config.yml}) give the player a permission. BungeeCord itself
     * returns the same result after the player has joined. Permission plugins are not included; ask them by the
     * player's UUID.
     */
    public boolean hasPermission(String permission) {
        ConfigurationAdapter groups = ProxyServer.getInstance().getConfigurationAdapter();
        return Stream.of(getName(), getUniqueId().toString())
                .flatMap(player -> groups.getGroups(player).stream())
                .flatMap(group -> groups.getPermissions(String.valueOf(group)).stream())
                .anyMatch(given -> permission.equalsIgnoreCase(String.valueOf(given)));
    }

    /** Returns the number of players on the whole network. */
    public int getOnline() {
        return online;
    }

    /** Returns the player limit of the whole network. */
    public int getLimit() {
        return limit;
    }

    /** Returns the message that the player sees if refused. */
    public String getMessage() {
        return message;
    }

    /**
     * Sets the message that the player sees if refused.
     *
     * @param message may contain section-sign colour codes and line breaks
     */
    public void setMessage(String message) {
        this.message = Objects.requireNonNull(message);
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Refuses the player or lets the player join.
     *
     * @param cancel false lets the player join beyond the limit
     */
    @Override
    public void setCancelled(boolean cancel) {
        cancelled = cancel;
    }
}
