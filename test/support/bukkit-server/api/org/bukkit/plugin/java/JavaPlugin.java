package org.bukkit.plugin.java;

import java.util.logging.Logger;
import org.bukkit.Server;
import org.bukkit.plugin.Plugin;
import org.bukkit.plugin.PluginDescriptionFile;

public abstract class JavaPlugin implements Plugin {
    private final Server server;
    private final PluginDescriptionFile description;
    private final Logger logger;
    private boolean enabled;

    public JavaPlugin() {
        if (!(getClass().getClassLoader() instanceof PluginClassLoader)) {
            throw new IllegalStateException("JavaPlugin requires " + PluginClassLoader.class.getName());
        }
        PluginClassLoader loader = (PluginClassLoader) getClass().getClassLoader();
        server = loader.server;
        description = loader.description;
        logger = Logger.getLogger(description.getName());
    }

    final void setEnabled(boolean now) {
        if (enabled == now) {
            return;
        }
        enabled = now;
        if (now) {
            onEnable();
        } else {
            onDisable();
        }
    }

    @Override
    public void onLoad() {}

    @Override
    public void onEnable() {}

    @Override
    public void onDisable() {}

    @Override
    public final boolean isEnabled() {
        return enabled;
    }

    @Override
    public final PluginDescriptionFile getDescription() {
        return description;
    }

    @Override
    public final Server getServer() {
        return server;
    }

    @Override
    public Logger getLogger() {
        return logger;
    }
}
