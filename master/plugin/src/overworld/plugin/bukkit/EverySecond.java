package overworld.plugin.bukkit;

import org.bukkit.Server;
import org.bukkit.plugin.Plugin;

/**
 * Repeats a task on the server's own thread. This code is not part of a listener class: Bukkit inspects all methods
 * of a listener, and fails if one of them uses a class that the server does not have.
 */
final class EverySecond {
    private static final long TICKS = 20;

    private EverySecond() {}

    /**
     * Runs a task every second (20 ticks) until the plugin is disabled. A server ticks only when it has loaded its
     * worlds and enabled all plugins, so the task does not run before.
     */
    static void run(Plugin plugin, Server server, Runnable task) {
        try {
            server.getScheduler().runTaskTimer(plugin, task, TICKS, TICKS);
        } catch (UnsupportedOperationException e) {
            // Folia does not support Bukkit's scheduler.
            server.getGlobalRegionScheduler().runAtFixedRate(plugin, scheduled -> task.run(), TICKS, TICKS);
        }
    }
}
