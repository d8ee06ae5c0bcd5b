package overworld.plugin.core;

import java.util.Objects;
import java.util.UUID;

/** Somebody who is on this proxy. */
public final class OnlinePlayer {
    private final UUID uuid;
    private final String name;
    private final String server;

    /** @param server name of the server that the player is on, null while there is none */
    public OnlinePlayer(UUID uuid, String name, String server) {
        this.uuid = Objects.requireNonNull(uuid);
        this.name = Objects.requireNonNull(name);
        this.server = server;
    }

    public UUID uuid() {
        return uuid;
    }

    public String name() {
        return name;
    }

    /** Null while the player is on none. */
    public String server() {
        return server;
    }
}
