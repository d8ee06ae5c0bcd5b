package org.bukkit.plugin.java;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import org.bukkit.Server;
import org.bukkit.plugin.PluginDescriptionFile;

/** Loads the classes of one plugin. Classes that belong to the server are taken from the server. */
final class PluginClassLoader extends URLClassLoader {
    final Server server;
    final PluginDescriptionFile description;

    PluginClassLoader(File jar, Server server, PluginDescriptionFile description) throws IOException {
        super(new URL[] {jar.toURI().toURL()}, PluginClassLoader.class.getClassLoader());
        this.server = server;
        this.description = description;
    }

    /** Creates the instance of the plugin's main class. */
    JavaPlugin start() throws ReflectiveOperationException {
        return Class.forName(description.getMain(), true, this).asSubclass(JavaPlugin.class).getConstructor().newInstance();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.startsWith("org.bukkit.") || name.startsWith("net.minecraft.")) {
            throw new ClassNotFoundException(name);
        }
        return super.findClass(name);
    }
}
