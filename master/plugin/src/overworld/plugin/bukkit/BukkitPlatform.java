package overworld.plugin.bukkit;

import java.nio.file.Path;
import java.util.logging.Level;
import org.bukkit.Server;
import org.bukkit.plugin.java.JavaPlugin;
import overworld.plugin.core.platform.ServerPlatform;

/** Adapts a Bukkit server to the core. */
final class BukkitPlatform implements ServerPlatform {
    private final JavaPlugin plugin;

    BukkitPlatform(JavaPlugin plugin) {
        this.plugin = plugin;
    }

    @Override
    public String kind() {
        return "bukkit";
    }

    @Override
    public String software() {
        Server server = plugin.getServer();
        return server.getName() + " " + server.getVersion();
    }

    @Override
    public Path folder() {
        return Path.of("").toAbsolutePath();
    }

    @Override
    public void log(Level level, String message) {
        plugin.getLogger().log(level, message);
    }
}
