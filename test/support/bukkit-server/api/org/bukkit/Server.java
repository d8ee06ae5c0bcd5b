package org.bukkit;

import io.papermc.paper.threadedregions.scheduler.GlobalRegionScheduler;
import java.util.Collection;
import java.util.logging.Logger;
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

    GlobalRegionScheduler getGlobalRegionScheduler();

    Logger getLogger();
}
