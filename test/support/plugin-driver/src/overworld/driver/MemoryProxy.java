package overworld.driver;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.logging.Level;
import java.util.stream.Collectors;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.platform.ServerPlatform;
import overworld.plugin.core.platform.Verdict;
import overworld.plugin.core.players.OnlinePlayer;

/** Proxy or game server that consists of lists of players and servers. Reports each action of the core. */
final class MemoryProxy implements ProxyPlatform, ServerPlatform {
    private final String name;
    private final String kind;
    private final Path folder;
    private final Map<UUID, OnlinePlayer> players = new ConcurrentHashMap<>();
    private final Map<UUID, Set<String>> permissions = new ConcurrentHashMap<>();
    private final Set<String> servers = new ConcurrentSkipListSet<>();
    /** Addresses of all servers, including those of the proxy's own configuration. */
    private final Map<String, SocketAddress> addresses = new ConcurrentHashMap<>();
    private volatile String limitPolicy = "refuse";
    private volatile ProxyCore core;

    MemoryProxy(String name, String kind, Path folder) {
        this.name = name;
        this.kind = kind;
        this.folder = folder;
    }

    void attach(ProxyCore toDrive) {
        core = toDrive;
    }

    /**
     * Sets how other plugins react when the player limit is reached: {@code refuse}, {@code let-in}, {@code throw},
     * or a message to the player.
     */
    void onLimit(String policy) {
        limitPolicy = policy;
    }

    void grant(UUID player, String permission) {
        permissions.computeIfAbsent(player, any -> ConcurrentHashMap.newKeySet()).add(permission);
    }

    Collection<String> servers() {
        return servers;
    }

    /** Adds a server to the proxy's own configuration. Proxies do not look up the host before they use it. */
    void configure(String server, String host, int port) {
        addresses.put(server, InetSocketAddress.createUnresolved(host, port));
    }

    String where(UUID player) {
        OnlinePlayer online = players.get(player);
        return online == null ? null : online.server();
    }

    /**
     * Adds a player.
     *
     * @param told whether the core is notified about the player
     * @return the player's first server, or null if there is none
     */
    String join(UUID player, String playerName, boolean told) {
        if (players.put(player, new OnlinePlayer(player, playerName, null)) == null) {
            Crowd.grow();
        }
        if (!told) {
            return null;
        }
        core.joined(player, playerName);
        Optional<String> first = core.firstServer(player, permission -> hasPermission(player, permission));
        first.ifPresent(server -> enter(player, server));
        return first.orElse(null);
    }

    Verdict enter(UUID player, String server) {
        String service = core.nameOf(server, addresses.get(server));
        Verdict verdict = core.mayEnter(player, service, permission -> hasPermission(player, permission));
        if (verdict.allowed()) {
            place(player, server);
        }
        return verdict;
    }

    String kicked(UUID player, String from) {
        Optional<String> next = core.fallback(player, from, permission -> hasPermission(player, permission));
        place(player, next.orElse(null));
        return next.orElse(null);
    }

    void leave(UUID player, boolean told) {
        if (players.remove(player) != null) {
            Crowd.shrink();
        }
        if (told) {
            core.left(player);
        }
    }

    /** Lets this number of players join one after the other. Each player leaves immediately. */
    void storm(int count) {
        for (int i = 0; i < count; i++) {
            UUID player = new UUID(5L << 12, Long.MIN_VALUE + i);
            join(player, "Storm" + i, true);
            leave(player, true);
        }
    }

    private void place(UUID player, String server) {
        players.computeIfPresent(player, (uuid, old) -> new OnlinePlayer(uuid, old.name(), server));
        core.switched(player, server);
    }

    /** Prints a line about an action of the core. */
    void tell(String event, String whom, String text) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("core", name);
        line.put("event", event);
        line.put("whom", whom);
        line.put("text", text);
        Driver.say(line);
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public String software() {
        return "Driver \"1.0\"";
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public void register(Backend backend) {
        servers.add(backend.id());
        addresses.put(backend.id(), backend.address());
        tell("register", backend.id(), backend.host() + ":" + backend.port());
    }

    @Override
    public void unregister(String id) {
        servers.remove(id);
        addresses.remove(id);
        tell("unregister", id, "");
    }

    @Override
    public Collection<OnlinePlayer> players() {
        return players.values().stream().collect(Collectors.toList());
    }

    @Override
    public void connect(UUID player, String server) {
        Verdict verdict = enter(player, server);
        tell("connect", player.toString(), verdict.allowed() ? server : verdict.message());
    }

    @Override
    public void kick(UUID player, String message) {
        tell("kick", player.toString(), message);
        leave(player, true);
    }

    @Override
    public void message(UUID player, String text) {
        tell("message", player.toString(), text);
    }

    @Override
    public boolean hasPermission(UUID player, String permission) {
        return permissions.getOrDefault(player, Set.of()).contains(permission);
    }

    @Override
    public CompletableFuture<LimitDecision> limitReached(
            UUID player, String playerName, int online, int limit, String message) {
        tell("limit", playerName, message);
        switch (limitPolicy) {
            case "refuse":
                return CompletableFuture.completedFuture(LimitDecision.refuse(message));
            case "let-in":
                return CompletableFuture.completedFuture(LimitDecision.letIn());
            case "throw":
                throw new IllegalStateException("a plugin that fails");
            default:
                return CompletableFuture.completedFuture(LimitDecision.refuse(limitPolicy));
        }
    }

    @Override
    public void log(Level level, String message) {
        tell("log", level.getName(), message);
    }
}
