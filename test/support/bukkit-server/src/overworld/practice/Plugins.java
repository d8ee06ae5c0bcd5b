package overworld.practice;

import java.io.File;
import java.util.Arrays;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.bukkit.Bukkit;
import org.bukkit.Server;
import org.bukkit.command.SimpleCommandMap;
import org.bukkit.entity.Player;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.plugin.Plugin;
import org.bukkit.plugin.PluginLoadOrder;
import org.bukkit.plugin.PluginManager;
import org.bukkit.plugin.SimplePluginManager;
import org.bukkit.plugin.java.JavaPluginLoader;

/** Loads, enables and disables plugins at the same moments as CraftBukkit does, and fires player events. */
final class Plugins implements Extension {
    private static final File FOLDER = new File("plugins");

    private final boolean isFolia;
    private boolean isPaused;
    private ServerView view;
    private PluginManager manager;

    Plugins(boolean isFolia, boolean isPaused) {
        this.isFolia = isFolia;
        this.isPaused = isPaused;
    }

    @Override
    public void start(PlayerList players, ServerLoop loop) {
        logToConsole();
        view = new ServerView(players, isFolia);
        Server server = view.server();
        Bukkit.setServer(server);
        manager = new SimplePluginManager(server, new SimpleCommandMap(server));
        view.setPluginManager(manager);
        load();
    }

    @SuppressWarnings("deprecation") // The method is deprecated in newer versions of the published API.
    private void load() {
        manager.registerInterface(JavaPluginLoader.class);
        if (FOLDER.isDirectory()) {
            for (Plugin plugin : manager.loadPlugins(FOLDER)) {
                plugin.getLogger().info("Loading " + plugin.getDescription().getFullName());
                plugin.onLoad();
            }
        }
        for (PluginLoadOrder order : PluginLoadOrder.values()) {
            for (Plugin plugin : manager.getPlugins()) {
                if (plugin.getDescription().getLoad() == order) {
                    manager.enablePlugin(plugin);
                }
            }
        }
    }

    @Override
    public void joined(Play player) {
        manager.callEvent(new PlayerJoinEvent(view.player(player.profile()), "joined"));
    }

    @Override
    public void leaving(Play player) {
        Player leaving = view.player(player.profile());
        manager.callEvent(new PlayerQuitEvent(leaving, "left"));
    }

    @Override
    public void tick() {
        if (!isPaused) {
            view.scheduler().runTasks();
        }
    }

    @Override
    public boolean command(String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "plugins":
                Log.info("Plugins: " + Arrays.stream(manager.getPlugins())
                        .map(plugin -> plugin.getDescription().getFullName() + (plugin.isEnabled() ? "" : " (disabled)"))
                        .collect(Collectors.joining(", ")));
                return true;
            case "reload":
                manager.clearPlugins();
                load();
                Log.info("Reload complete");
                return true;
            case "max-players":
                view.setMaxPlayers(Integer.parseInt(words[1]));
                return true;
            case "tick":
                isPaused = false;
                return true;
            case "call-from-elsewhere":
                new Thread(() -> Bukkit.getServer().getOnlinePlayers(), "Elsewhere").start();
                return true;
            default:
                return false;
        }
    }

    @Override
    public void stop() {
        manager.disablePlugins();
    }

    /** Prints the plugins' log messages in the format of the server's own lines. */
    private static void logToConsole() {
        LogManager.getLogManager().reset();
        Logger.getLogger("").addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                String text = "[" + record.getLoggerName() + "] " + record.getMessage();
                if (record.getThrown() != null) {
                    text += ": " + record.getThrown() + " " + Arrays.toString(record.getThrown().getStackTrace())
                            + " because of " + record.getThrown().getCause();
                }
                if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
                    Log.error(text);
                } else {
                    Log.info(text);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }
}
