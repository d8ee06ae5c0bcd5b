package overworld.plugin.core.network;

import java.net.InetSocketAddress;
import java.util.Objects;

/** A game server to which players may be sent, as described by the master. */
public final class Backend {
    private final String id;
    private final String template;
    private final String name;
    private final String host;
    private final int port;
    private final boolean fallback;
    private final String permission;
    private final int players;
    private final int maxPlayers;
    private final int fillLevel;
    private final boolean open;

    Backend(BackendFields fields) {
        id = fields.id;
        template = fields.template;
        name = fields.name;
        host = fields.host;
        port = fields.port;
        fallback = fields.fallback;
        permission = fields.permission;
        players = fields.players;
        maxPlayers = fields.maxPlayers;
        fillLevel = fields.fillLevel;
        open = fields.open;
    }

    /** Returns the service id, such as {@code lobby-3}. It is also the server's name in the proxy. */
    public String id() {
        return id;
    }

    public String template() {
        return template;
    }

    /** Returns the template's display name. */
    public String name() {
        return name;
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    /** Whether players are sent to this server when they join and when they lose their server. */
    public boolean fallback() {
        return fallback;
    }

    /** Returns the permission that players need to join this server; empty if everybody may join. */
    public String permission() {
        return permission;
    }

    /** Returns the number of players on this server that the master last reported. */
    public int players() {
        return players;
    }

    public int maxPlayers() {
        return maxPlayers;
    }

    /** Returns the number of players up to which the server is filled before an emptier server gets any. */
    int fillLevel() {
        return fillLevel;
    }

    /** Whether players may be sent to this server. If not, its current players stay. */
    public boolean open() {
        return open;
    }

    /** Returns host and port. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** Returns whether an address leads to this server. Looks up a host name only if the port is the same. */
    boolean isAt(InetSocketAddress other) {
        return port == other.getPort() && Hosts.areSame(address(), other);
    }

    boolean sameAddress(Backend other) {
        return port == other.port && Objects.equals(host, other.host);
    }
}
