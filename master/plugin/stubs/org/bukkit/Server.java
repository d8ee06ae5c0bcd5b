package org.bukkit;

import java.util.Collection;
import org.bukkit.entity.Player;
import org.bukkit.plugin.PluginManager;

public interface Server {
    String getName();

    String getVersion();

    int getMaxPlayers();

    Collection<? extends Player> getOnlinePlayers();

    PluginManager getPluginManager();
}
