package overworld.practice.proxy;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import overworld.practice.Json;
import overworld.practice.Log;

/** Objects that all parts of the proxy share, and the functions that Overworld's plugin uses. */
final class Proxy implements ProxyControl {
    static final String TITLE = "Overworld practice proxy";
    /** Protocol version in the answer to a status ping that contains none. */
    private static final int SOME_PROTOCOL = 47;

    final ProxyConfig config;
    final ProxyLoop loop;
    final Permissions permissions;
    final Players players = new Players();
    final Servers servers;
    final Commands commands = new Commands(this);
    private Gate gate;

    Proxy(ProxyConfig config, ProxyLoop loop, Permissions permissions) {
        this.config = config;
        this.loop = loop;
        this.permissions = permissions;
        this.servers = new Servers(config.servers);
    }

    /** Sets the object that decides which players may join. Must be called before {@link ProxyLoop#run}. */
    void setGate(Gate gate) {
        this.gate = gate;
    }

    Gate gate() {
        return gate;
    }

    /** Handles a new connection. */
    void welcome(Wire wire) {
        if (config.proxyProtocol) {
            wire.expectHeader();
        }
        wire.setOwner(new Client(wire, this));
    }

    /** Disconnects all players, because the proxy is exiting. */
    void sayGoodbye() {
        players.all().forEach(player -> player.kick("The proxy is stopping. Please join again."));
    }

    /** Returns the answer to a status ping of a client with this protocol version. */
    String statusFor(int protocol) {
        int online = gate.knowsNetwork() ? gate.online() : players.count();
        int max = gate.knowsNetwork() ? gate.limit() : config.maxPlayers;
        return "{\"version\":{\"name\":" + Json.quote(TITLE) + ",\"protocol\":"
                + (protocol > 0 ? protocol : SOME_PROTOCOL) + "},\"players\":{\"max\":" + max + ",\"online\":" + online
                + ",\"sample\":[]},\"description\":" + Json.chat(config.motd) + "}";
    }

    @Override
    public void addServer(String name, String host, int port) {
        servers.add(name, new InetSocketAddress(host, port));
    }

    @Override
    public void removeServer(String name) {
        servers.remove(name);
    }

    @Override
    public List<Seen> players() {
        return players.all().stream()
                .map(player -> new Seen(player.id, player.name, player.server()))
                .collect(Collectors.toList());
    }

    @Override
    public void connect(UUID id, String server) {
        loop.execute(() -> players.find(id).ifPresent(player -> player.moveTo(server)));
    }

    @Override
    public void kick(UUID id, String message) {
        loop.execute(() -> players.find(id).ifPresent(player -> player.kick(message)));
    }

    @Override
    public void message(UUID id, String text) {
        loop.execute(() -> players.find(id).ifPresent(player -> player.tell(text)));
    }

    @Override
    public boolean hasPermission(UUID id, String permission) {
        return players.find(id).map(player -> permissions.has(player.name, permission)).orElse(false);
    }

    @Override
    public boolean hasPermission(String playerName, String permission) {
        return permissions.has(playerName, permission);
    }

    @Override
    public BiConsumer<String, Boolean> log() {
        return (text, warning) -> {
            if (warning) {
                Log.warn(text);
            } else {
                Log.info(text);
            }
        };
    }
}
