package overworld.example;

import org.bukkit.event.EventHandler;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.plugin.java.JavaPlugin;
import overworld.api.Overworld;

/** Bukkit example: the server is in use until its arena is restored. */
public final class BukkitExample extends JavaPlugin implements Listener {
    @Override
    public void onEnable() {
        getServer().getPluginManager().registerEvents(this, this);
    }

    @EventHandler
    public void onQuit(PlayerQuitEvent event) {
        boolean isLast = getServer().getOnlinePlayers().stream()
                .allMatch(player -> player.getUniqueId().equals(event.getPlayer().getUniqueId()));
        if (isLast) {
            // {@code find()} is empty on a server that Overworld did not start.
            Overworld.find().ifPresent(overworld -> overworld.setInUse(true, "the arena is being restored"));
            new Thread(this::restore, "Arena").start();
        }
    }

    private void restore() {
        try {
            getLogger().info("Restoring the arena");
        } finally {
            Overworld.find().ifPresent(overworld -> overworld.setInUse(false, ""));
        }
    }
}
