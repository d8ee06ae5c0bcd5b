package overworld.plugin.adapter;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The servers that a proxy's own configuration assigns to the addresses that players type. */
public final class ForcedHosts {
    private ForcedHosts() {}

    /**
     * Returns whether the configuration assigns a server to an address. The case of letters makes no difference, as
     * on Velocity itself.
     *
     * @param forced names of servers, by address in lower case
     * @param host address as the player typed it
     */
    public static boolean assigns(Map<String, List<String>> forced, String host, String server) {
        List<String> servers = forced.getOrDefault(host.toLowerCase(Locale.ROOT), List.of());
        return servers.stream().anyMatch(server::equalsIgnoreCase);
    }
}
