package overworld.plugin.core;

import java.util.Objects;

/** A game server that players may be sent to, as the master describes it. */
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

    /** Service id, as {@code lobby-3}: its name in the proxy, too. */
    public String id() {
        return id;
    }

    public String template() {
        return template;
    }

    /** The template's display name. */
    public String name() {
        return name;
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    /** Players go there when they join, and when they lose their server. */
    public boolean fallback() {
        return fallback;
    }

    /** Needed to enter; empty: everybody may. */
    public String permission() {
        return permission;
    }

    /** As the master last counted them. */
    public int players() {
        return players;
    }

    public int maxPlayers() {
        return maxPlayers;
    }

    /** Players to which it is filled before an emptier one gets any. */
    int fillLevel() {
        return fillLevel;
    }

    /** False: those who are on it stay, nobody is sent there any more. */
    public boolean open() {
        return open;
    }

    boolean sameAddress(Backend other) {
        return port == other.port && Objects.equals(host, other.host);
    }
}
