package overworld.practice.proxy.plugged;

import java.nio.file.Path;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.stream.Collectors;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.players.OnlinePlayer;
import overworld.practice.proxy.ProxyControl;

/** Gives the plugin access to this proxy, through the interface that the plugin requires. */
final class Platform implements ProxyPlatform {
    /** Permission that simulates a listener of another plugin: players who have it may join beyond the limit. */
    private static final String BEYOND_LIMIT = "practice.beyond-limit";

    private final ProxyControl control;
    private final Path folder;
    private final String software;

    Platform(ProxyControl control, Path folder, String software) {
        this.control = control;
        this.folder = folder;
        this.software = software;
    }

    @Override
    public String kind() {
        return "practice";
    }

    @Override
    public String software() {
        return software;
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public void register(Backend backend) {
        control.addServer(backend.id(), backend.host(), backend.port());
    }

    @Override
    public void unregister(String id) {
        control.removeServer(id);
    }

    @Override
    public Collection<OnlinePlayer> players() {
        return control.players().stream()
                .map(player -> new OnlinePlayer(player.id, player.name, player.server))
                .collect(Collectors.toList());
    }

    @Override
    public void connect(UUID player, String server) {
        control.connect(player, server);
    }

    @Override
    public void kick(UUID player, String message) {
        control.kick(player, message);
    }

    @Override
    public void message(UUID player, String text) {
        control.message(player, text);
    }

    @Override
    public boolean hasPermission(UUID player, String permission) {
        return control.hasPermission(player, permission);
    }

    @Override
    public CompletableFuture<LimitDecision> limitReached(UUID player, String name, int online, int limit,
            String message) {
        boolean letIn = control.hasPermission(name, BEYOND_LIMIT);
        control.log().accept("The limit is reached for " + name + " (" + online + " of " + limit + "): "
                + (letIn ? "let in, as " + BEYOND_LIMIT + " is held" : "refused"), false);
        return CompletableFuture.completedFuture(letIn ? LimitDecision.letIn() : LimitDecision.refuse(message));
    }

    @Override
    public void log(Level level, String message) {
        control.log().accept(message, level.intValue() >= Level.WARNING.intValue());
    }
}
