package overworld.practice.proxy;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Game servers by name: the servers of {@code config.yml}, and the servers that Overworld's plugin registers.
 * Thread-safe.
 */
final class Servers {
    private final Map<String, InetSocketAddress> own;
    private final Map<String, InetSocketAddress> known = new ConcurrentHashMap<>();

    /**
     * Creates the list with the configured servers.
     *
     * @param own servers of {@code config.yml}
     */
    Servers(Map<String, InetSocketAddress> own) {
        this.own = Map.copyOf(own);
        known.putAll(own);
    }

    void add(String name, InetSocketAddress address) {
        known.put(name, address);
    }

    /** Removes a server that the plugin registered. A configured server of the same name replaces it. */
    void remove(String name) {
        known.remove(name);
        Optional.ofNullable(own.get(name)).ifPresent(address -> known.put(name, address));
    }

    Optional<InetSocketAddress> find(String name) {
        return Optional.ofNullable(known.get(name));
    }

    /** Returns the list of servers as a line for people. */
    String describe() {
        return new TreeMap<>(known).toString();
    }
}
