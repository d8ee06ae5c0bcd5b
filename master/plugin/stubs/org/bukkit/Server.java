package org.bukkit;

import io.papermc.paper.threadedregions.scheduler.GlobalRegionScheduler;
import java.util.Collection;
import org.bukkit.entity.Player;
import org.bukkit.plugin.PluginManager;
import org.bukkit.scheduler.BukkitScheduler;

public interface Server {
    String getName();

    String getVersion();

    int getMaxPlayers();

    Collection<? extends Player> getOnlinePlayers();

    PluginManager getPluginManager();

    BukkitScheduler getScheduler();

    /** Exists only on Paper since 1.20 and on Folia. Call it only if {@link #getScheduler} fails. */
    GlobalRegionScheduler getGlobalRegionScheduler();
}
