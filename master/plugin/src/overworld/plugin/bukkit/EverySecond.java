package overworld.plugin.bukkit;

import org.bukkit.Server;
import org.bukkit.plugin.Plugin;

/**
 * Repeats a task on the server's own thread. It stands outside of listeners: Bukkit reads all methods of a listener, and
 * fails where one names a class that the server lacks.
 */
final class EverySecond {
    private static final long TICKS = 20;

    private EverySecond() {}

    /** Runs a task each second (20 ticks) until the plugin is disabled. */
    static void run(Plugin plugin, Server server, Runnable task) {
        try {
            server.getScheduler().runTaskTimer(plugin, task, TICKS, TICKS);
        } catch (UnsupportedOperationException e) {
            // Folia has none of Bukkit's threads.
            server.getGlobalRegionScheduler().runAtFixedRate(plugin, scheduled -> task.run(), TICKS, TICKS);
        }
    }
}
