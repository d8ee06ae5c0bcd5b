package org.bukkit.plugin;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.logging.Level;
import org.bukkit.Server;
import org.bukkit.command.SimpleCommandMap;
import org.bukkit.event.Event;
import org.bukkit.event.EventHandler;
import org.bukkit.event.Listener;

/** Loads and enables plugins, and calls their event handlers by priority. Logs exceptions of plugins. */
public final class SimplePluginManager implements PluginManager {
    private static final class Handler {
        final Plugin plugin;
        final Listener listener;
        final Method method;
        final EventHandler how;

        Handler(Plugin plugin, Listener listener, Method method) {
            this.plugin = plugin;
            this.listener = listener;
            this.method = method;
            this.how = method.getAnnotation(EventHandler.class);
        }
    }

    private final Server server;
    private final List<Plugin> plugins = new ArrayList<>();
    private final List<Handler> handlers = new ArrayList<>();
    private PluginLoader loader;

    public SimplePluginManager(Server server, SimpleCommandMap commandMap) {
        this.server = server;
    }

    @Override
    public void registerInterface(Class<? extends PluginLoader> type) {
        try {
            loader = type.getConstructor(Server.class).newInstance(server);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(type + " has no public constructor that takes a server", e);
        }
    }

    @Override
    public Plugin[] loadPlugins(File directory) {
        File[] jars = directory.listFiles((folder, name) -> name.endsWith(".jar"));
        for (File jar : jars == null ? new File[0] : jars) {
            try {
                Plugin plugin = loader.loadPlugin(jar);
                plugins.add(plugin);
            } catch (InvalidPluginException e) {
                server.getLogger().log(Level.SEVERE, "Could not load '" + jar + "'", e);
            }
        }
        return getPlugins();
    }

    @Override
    public Plugin[] getPlugins() {
        return plugins.toArray(new Plugin[0]);
    }

    @Override
    public void enablePlugin(Plugin plugin) {
        guard("enabling " + plugin.getDescription().getFullName(), () -> loader.enablePlugin(plugin));
    }

    @Override
    public void disablePlugins() {
        for (Plugin plugin : plugins) {
            guard("disabling " + plugin.getDescription().getFullName(), () -> loader.disablePlugin(plugin));
            server.getScheduler().cancelTasks(plugin);
            handlers.removeIf(handler -> handler.plugin == plugin);
        }
    }

    @Override
    public void clearPlugins() {
        disablePlugins();
        plugins.clear();
    }

    private void guard(String what, Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            server.getLogger().log(Level.SEVERE, "Error occurred while " + what, e);
        }
    }

    @Override
    public void registerEvents(Listener listener, Plugin plugin) {
        if (!plugin.isEnabled()) {
            throw new IllegalStateException("Plugin attempted to register " + listener + " while not enabled");
        }
        try {
            // As in Bukkit: if one handler method refers to a class that the server lacks, none of the listener's
            // handlers work.
            for (Method method : listener.getClass().getDeclaredMethods()) {
                Class<?>[] types = method.getParameterTypes();
                if (!method.isAnnotationPresent(EventHandler.class) || method.isBridge() || method.isSynthetic()) {
                    continue;
                }
                if (types.length != 1 || !Event.class.isAssignableFrom(types[0])) {
                    plugin.getLogger().severe("attempted to register an invalid EventHandler method signature: " + method);
                    continue;
                }
                method.setAccessible(true);
                handlers.add(new Handler(plugin, listener, method));
            }
        } catch (NoClassDefFoundError e) {
            plugin.getLogger().severe("has failed to register events for " + listener.getClass() + " because "
                    + e.getMessage() + " does not exist.");
        }
        handlers.sort(Comparator.comparing(handler -> handler.how.priority()));
    }

    @Override
    public void callEvent(Event event) {
        for (Handler handler : List.copyOf(handlers)) {
            if (!handler.plugin.isEnabled() || !handler.method.getParameterTypes()[0].isInstance(event)) {
                continue;
            }
            try {
                handler.method.invoke(handler.listener, event);
            } catch (InvocationTargetException e) {
                server.getLogger().log(Level.SEVERE, "Could not pass event " + event + " to " + handler.plugin, e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(Arrays.toString(handler.method.getParameterTypes()), e);
            }
        }
    }
}
