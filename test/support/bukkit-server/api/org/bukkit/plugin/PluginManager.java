package org.bukkit.plugin;

import java.io.File;
import org.bukkit.event.Event;
import org.bukkit.event.Listener;

public interface PluginManager {
    void registerInterface(Class<? extends PluginLoader> loader);

    Plugin[] loadPlugins(File directory);

    Plugin[] getPlugins();

    void enablePlugin(Plugin plugin);

    void disablePlugins();

    void clearPlugins();

    void callEvent(Event event);

    void registerEvents(Listener listener, Plugin plugin);
}
