package overworld.plugin.bukkit;

import java.util.UUID;
import org.bukkit.Server;
import org.bukkit.event.EventHandler;
import org.bukkit.event.EventPriority;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.plugin.java.JavaPlugin;
import overworld.plugin.core.ServerCore;

/** Main class on Bukkit servers (Spigot, Paper, Folia and other forks), named by {@code plugin.yml}. */
public final class BukkitPlugin extends JavaPlugin implements Listener {
    private ServerCore core;

    @Override
    public void onEnable() {
        core = ServerCore.start(new BukkitPlatform(this));
        if (core.active()) {
            getServer().getPluginManager().registerEvents(this, this);
            // The first report tells the master that players can join, so it must not be sent before the first tick.
            // Later reports are needed because another plugin may change the maximum number of players.
            EverySecond.run(this, getServer(), () -> countWithout(null));
        }
    }

    @Override
    public void onDisable() {
        if (core != null) {
            core.close();
        }
    }

    @EventHandler(priority = EventPriority.MONITOR)
    public void onJoin(PlayerJoinEvent event) {
        countWithout(null);
    }

    /** Reports the number without the leaving player, who is still in the list of players during this event. */
    @EventHandler(priority = EventPriority.MONITOR)
    public void onQuit(PlayerQuitEvent event) {
        countWithout(event.getPlayer().getUniqueId());
    }

    /**
     * Reports the number of players. Synchronized, because on Folia players join and quit on several threads, and
     * an older number must not be sent after a newer one.
     */
    private synchronized void countWithout(UUID leaving) {
        Server server = getServer();
        long online = server.getOnlinePlayers().stream()
                .filter(player -> !player.getUniqueId().equals(leaving))
                .count();
        core.count((int) online, server.getMaxPlayers());
    }
}
