package overworld.plugin.bungee;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.stream.Collectors;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.connection.Server;
import net.md_5.bungee.api.plugin.Plugin;
import overworld.api.bungee.GlobalPlayerLimitReachedEvent;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.players.OnlinePlayer;

/** Adapts a BungeeCord proxy to the core. */
final class BungeePlatform implements ProxyPlatform {
    private final Plugin plugin;
    private final ProxyServer proxy;
    /**
     * Servers that this plugin registered, by name. This map is also the lock for changes of the proxy's own map,
     * which has no lock.
     */
    private final Map<String, ServerInfo> registered = new LinkedHashMap<>();
    /** Servers of the proxy's own configuration or of other plugins that ours have replaced, by name. */
    private final Map<String, ServerInfo> replaced = new HashMap<>();

    private volatile Attempts<PendingConnection> attempts;

    BungeePlatform(Plugin plugin) {
        this.plugin = plugin;
        this.proxy = plugin.getProxy();
    }

    void findLoginsIn(Attempts<PendingConnection> found) {
        attempts = found;
    }

    @Override
    public String kind() {
        return "bungeecord";
    }

    @Override
    public String software() {
        return proxy.getName() + " " + proxy.getVersion();
    }

    @Override
    public Path folder() {
        return Path.of("").toAbsolutePath();
    }

    @Override
    public void register(Backend backend) {
        ServerInfo info = proxy.constructServerInfo(backend.id(), backend.address(), backend.name(), false);
        synchronized (registered) {
            put(info);
        }
    }

    private void put(ServerInfo info) {
        String id = info.getName();
        ServerInfo ours = registered.put(id, info);
        ServerInfo old = proxy.getServers().put(id, info);
        if (old != null && old != ours) {
            replaced.put(id, old);
        }
        keepApart(info);
    }

    /**
     * Finds the servers in the admin's configuration that have the same address as one of our servers, and writes
     * their addresses in another form. Otherwise BungeeCord would treat the two as the same server, and would not ask
     * for another server when players lose this server ({@link Priorities}). {@code localhost:25565}, which
     * BungeeCord writes into a new configuration, is often the address of one of our servers.
     */
    private void keepApart(ServerInfo ours) {
        for (ServerInfo other : List.copyOf(proxy.getServers().values())) {
            if (!registered.containsKey(other.getName()) && other.equals(ours)) {
                // The address of our server contains no host name, so that no event has to look it up.
                InetSocketAddress address = (InetSocketAddress) ours.getSocketAddress();
                InetSocketAddress same = InetSocketAddress.createUnresolved(address.getHostString(), address.getPort());
                ServerInfo apart = proxy.constructServerInfo(
                        other.getName(), same, other.getMotd(), other.isRestricted());
                proxy.getServers().put(other.getName(), apart);
            }
        }
    }

    @Override
    public void unregister(String id) {
        synchronized (registered) {
            ServerInfo info = registered.remove(id);
            ServerInfo foreign = replaced.remove(id);
            if (info == null || proxy.getServers().get(id) != info) {
                return;
            }
            if (foreign == null) {
                proxy.getServers().remove(id);
            } else {
                // BungeeCord lets no player join if the priorities of its listener contain only unknown names.
                proxy.getServers().put(id, foreign);
                registered.values().forEach(this::keepApart);
            }
        }
    }

    /** Registers all servers again after the proxy has reloaded its configuration. */
    void registerAgain() {
        synchronized (registered) {
            List.copyOf(registered.values()).forEach(this::put);
        }
    }

    @Override
    public Collection<OnlinePlayer> players() {
        return proxy.getPlayers().stream()
                .map(player -> new OnlinePlayer(player.getUniqueId(), player.getName(), serverOf(player)))
                .collect(Collectors.toList());
    }

    /**
     * Returns the name of a player's server.
     *
     * @return null while the player is on no server
     */
    static String serverOf(ProxiedPlayer player) {
        Server server = player.getServer();
        return server == null ? null : server.getInfo().getName();
    }

    @Override
    public void connect(UUID player, String server) {
        ServerInfo info = proxy.getServerInfo(server);
        if (info != null) {
            with(player, it -> it.connect(info));
        }
    }

    @Override
    public void kick(UUID player, String message) {
        with(player, it -> it.disconnect(Text.of(message)));
    }

    @Override
    public void message(UUID player, String text) {
        with(player, it -> it.sendMessage(Text.of(text)));
    }

    @Override
    public boolean hasPermission(UUID player, String permission) {
        ProxiedPlayer found = proxy.getPlayer(player);
        return found != null && found.hasPermission(permission);
    }

    private void with(UUID player, Consumer<ProxiedPlayer> action) {
        Optional.ofNullable(proxy.getPlayer(player)).ifPresent(action);
    }

    @Override
    public CompletableFuture<LimitDecision> limitReached(
            UUID player, String name, int online, int limit, String message) {
        CompletableFuture<LimitDecision> decision = new CompletableFuture<>();
        Optional<PendingConnection> connection = attempts.find(player);
        if (connection.isEmpty()) {
            decision.complete(LimitDecision.refuse(message));
            return decision;
        }
        GlobalPlayerLimitReachedEvent event =
                new GlobalPlayerLimitReachedEvent(connection.get(), online, limit, message);
        // Runs on another thread, because other plugins may look players up in databases and take long.
        proxy.getScheduler().runAsync(plugin, () -> {
            try {
                proxy.getPluginManager().callEvent(event);
                decision.complete(
                        event.isCancelled() ? LimitDecision.refuse(event.getMessage()) : LimitDecision.letIn());
            } catch (RuntimeException | LinkageError e) {
                decision.completeExceptionally(e);
            }
        });
        return decision;
    }

    @Override
    public void log(Level level, String message) {
        plugin.getLogger().log(level, message);
    }
}
