package overworld.test;

import com.google.inject.Inject;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.player.PlayerChooseInitialServerEvent;
import com.velocitypowered.api.proxy.ProxyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Replaces a queue or limbo plugin. The file {@code first-servers.txt} contains lines of the form {@code <player>
 * <server>}. Other players are not affected.
 */
public final class FirstServer {
    private final ProxyServer proxy;

    @Inject
    public FirstServer(ProxyServer proxy) {
        this.proxy = proxy;
    }

    @Subscribe
    public void onJoin(PlayerChooseInitialServerEvent event) throws IOException {
        String start = event.getPlayer().getUsername() + " ";
        Files.readAllLines(Path.of("first-servers.txt")).stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .flatMap(line -> proxy.getServer(line.substring(start.length())))
                .ifPresent(event::setInitialServer);
    }
}
