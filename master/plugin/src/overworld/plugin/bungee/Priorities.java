package overworld.plugin.bungee;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.config.ListenerInfo;

/**
 * Repeats the server names in the {@code priorities} of the proxy's listeners. When a player has lost a server,
 * BungeeCord asks for the next server only while this list contains another name. BungeeCord uses each name once
 * until the player has arrived on a server. The names themselves do not matter, because {@link MoveListener} chooses
 * the server.
 */
final class Priorities {
    /** Length of the list: number of servers that may fail one after the other before a player is disconnected. */
    private static final int NAMES = 32;

    private Priorities() {}

    static void fill(ProxyServer proxy, Logger logger) {
        for (ListenerInfo listener : proxy.getConfig().getListeners()) {
            try {
                fill(listener.getServerPriority(), proxy);
            } catch (UnsupportedOperationException e) {
                logger.log(Level.WARNING, "The priorities of a listener cannot be changed on this proxy. List more "
                        + "servers there, or players whose server is lost may be disconnected");
            }
        }
    }

    private static void fill(List<String> priorities, ProxyServer proxy) {
        List<String> known = priorities.stream()
                .distinct()
                .filter(name -> proxy.getServerInfo(name) != null)
                .collect(Collectors.toList());
        for (int i = 0; !known.isEmpty() && priorities.size() < NAMES; i++) {
            priorities.add(known.get(i % known.size()));
        }
    }
}
