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
 * Somebody wants to join, and the network is full ({@code max_online_players}). Cancelled, as it is from the beginning:
 * refused with {@link #getMessage}; not cancelled: let in beyond the limit. Also fired when nobody can tell whether it
 * is full: this proxy's places are taken, and the master is away. Fired on a thread of its own, where listeners may take
 * up to 5 seconds; the player waits for them.
 */
public final class GlobalPlayerLimitReachedEvent extends Event implements Cancellable {
    private final PendingConnection connection;
    private final int online;
    private final int limit;
    private volatile String message;
    private volatile boolean cancelled = true;

    /** For Overworld's own plugin. */
    public GlobalPlayerLimitReachedEvent(PendingConnection connection, int online, int limit, String message) {
        this.connection = connection;
        this.online = online;
        this.limit = limit;
        this.message = message;
    }

    /** The connection that logs in; its account was checked. There is no ProxiedPlayer yet. */
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
     * Whether the proxy's own groups ({@code config.yml}) give the player a permission, as BungeeCord will find it once
     * the player has joined. Permission plugins that keep theirs elsewhere are to be asked by the UUID.
     */
    public boolean hasPermission(String permission) {
        ConfigurationAdapter groups = ProxyServer.getInstance().getConfigurationAdapter();
        return Stream.of(getName(), getUniqueId().toString())
                .flatMap(player -> groups.getGroups(player).stream())
                .flatMap(group -> groups.getPermissions(String.valueOf(group)).stream())
                .anyMatch(given -> permission.equalsIgnoreCase(String.valueOf(given)));
    }

    /** Players on the whole network. */
    public int getOnline() {
        return online;
    }

    /** Most players on the whole network. */
    public int getLimit() {
        return limit;
    }

    /** What the player is told when refused. */
    public String getMessage() {
        return message;
    }

    /** @param message with section-sign colour codes and line breaks, if you like */
    public void setMessage(String message) {
        this.message = Objects.requireNonNull(message);
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    /** @param cancel false lets the player in beyond the limit */
    @Override
    public void setCancelled(boolean cancel) {
        cancelled = cancel;
    }
}
