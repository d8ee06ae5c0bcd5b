package overworld.practice.proxy;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import overworld.practice.SimpleYaml;
import overworld.practice.StartException;

/** The settings that are read from {@code config.yml}. The file and the names in it are those of BungeeCord. */
final class ProxyConfig {
    static final String FILE_NAME = "config.yml";
    private static final int DEFAULT_PORT = 25_577;
    private static final int DEFAULT_TIMEOUT_MS = 30_000;

    /** Where to listen; port 0 lets the system choose. */
    final InetSocketAddress address;
    /** Connections begin with a PROXY protocol header. */
    final boolean proxyProtocol;
    /** Shown in the server list while the network's limit is not known. */
    final int maxPlayers;
    final String motd;
    /** The player's address and id are put into the handshake with a game server (legacy forwarding). */
    final boolean forwarding;
    /** Who is silent for this time is taken to be gone. */
    final int timeoutMs;
    /** The admin's own game servers: name and address. */
    final Map<String, InetSocketAddress> servers = new LinkedHashMap<>();
    /** Names of servers to go to at first, the first that is there. */
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
     * Reads the file in a folder; it need not be there.
     *
     * @throws StartException when it cannot be understood
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
