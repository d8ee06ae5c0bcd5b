package overworld.plugin.velocity;

import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import com.velocitypowered.api.proxy.server.ServerInfo;
import com.velocitypowered.api.util.ProxyVersion;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import overworld.api.velocity.GlobalPlayerLimitReachedEvent;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.players.OnlinePlayer;

/** Adapts a Velocity proxy to the core. */
final class VelocityPlatform implements ProxyPlatform {
    private final ProxyServer proxy;
    private final Logger logger;
    /** Servers that this plugin registered, by name. */
    private final Map<String, ServerInfo> registered = new HashMap<>();
    /** Servers of the proxy's own configuration or of other plugins that ours have replaced, by name. */
    private final Map<String, ServerInfo> replaced = new HashMap<>();

    private volatile Attempts<Player> attempts;

    VelocityPlatform(ProxyServer proxy, Logger logger) {
        this.proxy = proxy;
        this.logger = logger;
    }

    void findLoginsIn(Attempts<Player> found) {
        attempts = found;
    }

    @Override
    public String kind() {
        return "velocity";
    }

    @Override
    public String software() {
        ProxyVersion version = proxy.getVersion();
        return version.getName() + " " + version.getVersion();
    }

    @Override
    public Path folder() {
        return Path.of("").toAbsolutePath();
    }

    @Override
    public void register(Backend backend) {
        ServerInfo info = new ServerInfo(backend.id(), backend.address());
        synchronized (registered) {
            put(info);
        }
    }

    /** Registers all servers again after the proxy has reloaded its configuration. */
    void registerAgain() {
        synchronized (registered) {
            List.copyOf(registered.values()).forEach(this::put);
        }
    }

    private void put(ServerInfo info) {
        String id = info.getName();
        ServerInfo ours = registered.put(id, info);
        ServerInfo old = find(id);
        if (old != null && !old.equals(ours)) {
            replaced.put(id, old);
        }
        // Velocity rejects a second server with the same name.
        if (old != null && !old.equals(info)) {
            proxy.unregisterServer(old);
        }
        proxy.registerServer(info);
    }

    /** Returns the server of this name in the proxy's list; null if there is none. */
    private ServerInfo find(String name) {
        return proxy.getServer(name).map(RegisteredServer::getServerInfo).orElse(null);
    }

    @Override
    public void unregister(String id) {
        synchronized (registered) {
            ServerInfo info = registered.remove(id);
            ServerInfo foreign = replaced.remove(id);
            if (info == null || !info.equals(find(id))) {
                return;
            }
            proxy.unregisterServer(info);
            if (foreign != null) {
                proxy.registerServer(foreign);
            }
        }
    }

    @Override
    public Collection<OnlinePlayer> players() {
        return proxy.getAllPlayers().stream()
                .map(player -> new OnlinePlayer(player.getUniqueId(), player.getUsername(), serverOf(player)))
                .collect(Collectors.toList());
    }

    /**
     * Returns the name of a player's server.
     *
     * @return null while the player is on no server
     */
    private static String serverOf(Player player) {
        return player.getCurrentServer()
                .map(connection -> connection.getServerInfo().getName())
                .orElse(null);
    }

    @Override
    public void connect(UUID player, String server) {
        Optional<RegisteredServer> target = proxy.getServer(server);
        proxy.getPlayer(player).ifPresent(it -> target.ifPresent(
                to -> it.createConnectionRequest(to).fireAndForget()));
    }

    @Override
    public void kick(UUID player, String message) {
        proxy.getPlayer(player).ifPresent(it -> it.disconnect(Text.of(message)));
    }

    @Override
    public void message(UUID player, String text) {
        proxy.getPlayer(player).ifPresent(it -> it.sendMessage(Text.of(text)));
    }

    @Override
    public boolean hasPermission(UUID player, String permission) {
        return proxy.getPlayer(player).map(it -> it.hasPermission(permission)).orElse(false);
    }

    @Override
    public CompletableFuture<LimitDecision> limitReached(
            UUID player, String name, int online, int limit, String message) {
        Optional<Player> found = attempts.find(player);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(LimitDecision.refuse(message));
        }
        GlobalPlayerLimitReachedEvent event =
                new GlobalPlayerLimitReachedEvent(found.get(), online, limit, message);
        return proxy.getEventManager().fire(event).thenApply(fired -> fired.getResult()
                .getReasonComponent()
                .map(reason -> LimitDecision.refuse(Text.from(reason)))
                .orElseGet(LimitDecision::letIn));
    }

    @Override
    public void log(Level level, String message) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            logger.error(message);
        } else if (level.intValue() >= Level.WARNING.intValue()) {
            logger.warn(message);
        } else {
            logger.info(message);
        }
    }
}
