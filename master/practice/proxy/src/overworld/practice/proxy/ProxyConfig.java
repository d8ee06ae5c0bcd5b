package overworld.practice.proxy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import overworld.practice.SimpleYaml;
import overworld.practice.StartException;

/** Settings from {@code config.yml}. The file has the name and the keys of BungeeCord's configuration file. */
final class ProxyConfig {
    static final String FILE_NAME = "config.yml";
    private static final int DEFAULT_PORT = 25_577;
    private static final int DEFAULT_TIMEOUT_MS = 30_000;

    /** Address to listen on. With port 0, the system chooses the port. */
    final InetSocketAddress address;
    /** Whether each connection begins with a PROXY protocol header. */
    final boolean proxyProtocol;
    /** Player limit in the proxy's answers to status pings while the network's limit is unknown. */
    final int maxPlayers;
    final String motd;
    /** Whether the handshake with a game server contains the player's address and id (legacy forwarding). */
    final boolean forwarding;
    /** Time without data after which a connection counts as lost (ms). */
    final int timeoutMs;
    /** The game servers of {@code config.yml}, by name. */
    final Map<String, InetSocketAddress> servers = new LinkedHashMap<>();
    /** Names of the servers to which players are sent without Overworld's plugin, the preferred one first. */
    final List<String> priorities = new ArrayList<>();

    private ProxyConfig(Map<String, Object> root) throws StartException {
        Map<String, Object> listener = new LinkedHashMap<>();
        List<?> listeners = SimpleYaml.listOf(root.get("listeners"));
        if (!listeners.isEmpty()) {
            listener = SimpleYaml.mapOf(listeners.get(0));
        }
        address = addressOf("host", text(listener, "host", "0.0.0.0:" + DEFAULT_PORT));
        proxyProtocol = Boolean.parseBoolean(text(listener, "proxy_protocol", "false"));
        maxPlayers = number(listener, "max_players", 1);
        motd = text(listener, "motd", "An Overworld practice proxy").replaceAll("&([0-9a-fk-or])", "\u00a7$1");
        forwarding = Boolean.parseBoolean(text(root, "ip_forward", "false"));
        timeoutMs = number(root, "timeout", DEFAULT_TIMEOUT_MS);
        for (Map.Entry<String, Object> server : SimpleYaml.mapOf(root.get("servers")).entrySet()) {
            String where = text(SimpleYaml.mapOf(server.getValue()), "address", "");
            servers.put(server.getKey(), addressOf("servers." + server.getKey() + ".address", where));
        }
        SimpleYaml.listOf(listener.get("priorities")).forEach(name -> priorities.add(String.valueOf(name)));
    }

    /**
     * Reads the file in a folder. The file may be missing.
     *
     * @throws StartException if the file cannot be read or parsed, or contains an invalid value
     */
    static ProxyConfig load(Path folder) throws StartException {
        return new ProxyConfig(SimpleYaml.read(folder.resolve(FILE_NAME)));
    }

    private static String text(Map<String, Object> map, String key, String otherwise) {
        Object value = map.get(key);
        return value instanceof String && !((String) value).isEmpty() ? (String) value : otherwise;
    }

    private static int number(Map<String, Object> map, String key, int otherwise) throws StartException {
        String value = text(map, key, String.valueOf(otherwise));
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new StartException(FILE_NAME + ": " + key + " must be a whole number, but is \"" + value + "\"");
        }
    }

    private static InetSocketAddress addressOf(String key, String value) throws StartException {
        int colon = value.lastIndexOf(':');
        try {
            return new InetSocketAddress(value.substring(0, colon), Integer.parseInt(value.substring(colon + 1)));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new StartException(FILE_NAME + ": " + key + " must be an address with a port, as 0.0.0.0:25577, but is \""
                    + value + "\"");
        }
    }
}
