package overworld.plugin.core.players;

import java.util.Objects;
import java.util.UUID;

/** A player on this proxy. */
public final class OnlinePlayer {
    private final UUID uuid;
    private final String name;
    private final String server;

    /**
     * Creates a player.
     *
     * @param server name of the player's server; null while there is none
     */
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

    /** Returns the player's server; null while there is none. */
    public String server() {
        return server;
    }
}
