package org.bukkit.plugin;

import java.util.logging.Logger;
import org.bukkit.Server;

public interface Plugin {
    PluginDescriptionFile getDescription();

    Server getServer();

    Logger getLogger();

    boolean isEnabled();

    void onLoad();

    void onEnable();

    void onDisable();
}
