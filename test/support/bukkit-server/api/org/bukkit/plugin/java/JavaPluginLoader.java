package org.bukkit.plugin.java;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.bukkit.Server;
import org.bukkit.plugin.InvalidDescriptionException;
import org.bukkit.plugin.InvalidPluginException;
import org.bukkit.plugin.Plugin;
import org.bukkit.plugin.PluginDescriptionFile;
import org.bukkit.plugin.PluginLoader;

/** Loads each plugin from its jar with a separate class loader. */
public final class JavaPluginLoader implements PluginLoader {
    private final Server server;

    public JavaPluginLoader(Server server) {
        this.server = server;
    }

    @Override
    public Plugin loadPlugin(File file) throws InvalidPluginException {
        PluginDescriptionFile description = describe(file);
        try {
            return new PluginClassLoader(file, server, description).start();
        } catch (IOException | ReflectiveOperationException | ClassCastException | LinkageError e) {
            throw new InvalidPluginException("Cannot start main class `" + description.getMain() + "'", e);
        }
    }

    private static PluginDescriptionFile describe(File file) throws InvalidPluginException {
        try (JarFile jar = new JarFile(file)) {
            ZipEntry entry = jar.getEntry("plugin.yml");
            if (entry == null) {
                throw new InvalidPluginException("Jar does not contain plugin.yml", null);
            }
            try (InputStream stream = jar.getInputStream(entry)) {
                return new PluginDescriptionFile(stream);
            }
        } catch (IOException | InvalidDescriptionException e) {
            throw new InvalidPluginException(e);
        }
    }

    @Override
    public void enablePlugin(Plugin plugin) {
        plugin.getLogger().info("Enabling " + plugin.getDescription().getFullName());
        ((JavaPlugin) plugin).setEnabled(true);
    }

    @Override
    public void disablePlugin(Plugin plugin) {
        plugin.getLogger().info("Disabling " + plugin.getDescription().getFullName());
        ((JavaPlugin) plugin).setEnabled(false);
    }
}
