package overworld.plugin.core.api;

import overworld.api.Service;
import overworld.plugin.core.network.Backend;

/** A copy of a game server's data, for another plugin. */
final class KnownService implements Service {
    private final Backend backend;
    private final int players;

    KnownService(Backend backend, int players) {
        this.backend = backend;
        this.players = players;
    }

    @Override
    public String id() {
        return backend.id();
    }

    @Override
    public String template() {
        return backend.template();
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public int players() {
        return players;
    }

    @Override
    public int maxPlayers() {
        return backend.maxPlayers();
    }

    @Override
    public boolean isFallback() {
        return backend.fallback();
    }

    @Override
    public String joinPermission() {
        return backend.permission();
    }

    @Override
    public boolean isOpen() {
        return backend.open();
    }

    @Override
    public String toString() {
        return backend.id() + " (" + players + " of " + backend.maxPlayers() + ")";
    }
}
