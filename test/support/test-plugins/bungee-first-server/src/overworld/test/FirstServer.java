package overworld.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.md_5.bungee.api.event.ServerConnectEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.api.plugin.Plugin;
import net.md_5.bungee.event.EventHandler;

/**
 * Replaces a queue or limbo plugin. The file {@code first-servers.txt} contains lines of the form {@code <player>
 * <server>}. Other players are not affected.
 */
public final class FirstServer extends Plugin implements Listener {
    @Override
    public void onEnable() {
        getProxy().getPluginManager().registerListener(this, this);
    }

    @EventHandler
    public void onConnect(ServerConnectEvent event) throws IOException {
        String start = event.getPlayer().getName() + " ";
        if (event.getReason() == ServerConnectEvent.Reason.JOIN_PROXY) {
            Files.readAllLines(Path.of("first-servers.txt")).stream()
                    .filter(line -> line.startsWith(start))
                    .findFirst()
                    .map(line -> getProxy().getServerInfo(line.substring(start.length())))
                    .ifPresent(event::setTarget);
        }
    }
}
