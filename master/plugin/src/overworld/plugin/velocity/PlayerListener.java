package overworld.plugin.velocity;

import com.velocitypowered.api.event.PostOrder;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.connection.DisconnectEvent;
import com.velocitypowered.api.event.connection.PostLoginEvent;
import com.velocitypowered.api.event.player.ServerConnectedEvent;
import com.velocitypowered.api.proxy.Player;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.adapter.Connections;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.core.ProxyCore;

/**
 * Reports to the core which players are on the proxy and on which server. Public, because Velocity calls it by
 * reflection.
 */
public final class PlayerListener {
    private final ProxyCore core;
    private final Attempts<Player> attempts;
    private final Journeys<?> journeys;
    /**
     * Velocity fires the disconnect event also for a second connection of the same account, which never joined. It
     * may fire the event of a replaced connection after the account has joined again.
     */
    private final Connections<Player> connections;

    PlayerListener(ProxyCore core, Attempts<Player> attempts, Journeys<?> journeys) {
        this.core = core;
        this.attempts = attempts;
        this.journeys = journeys;
        connections = new Connections<>(core, journeys);
    }

    @Subscribe(order = PostOrder.FIRST)
    public void onJoined(PostLoginEvent event) {
        Player player = event.getPlayer();
        attempts.joined(player);
        connections.joined(player, player.getUniqueId(), player.getUsername());
    }

    @Subscribe
    public void onConnected(ServerConnectedEvent event) {
        Player player = event.getPlayer();
        journeys.end(player.getUniqueId());
        core.switched(player.getUniqueId(), event.getServer().getServerInfo().getName());
    }

    @Subscribe(order = PostOrder.LAST)
    public void onGone(DisconnectEvent event) {
        Player player = event.getPlayer();
        attempts.ended(player);
        connections.ended(player, player.getUniqueId());
    }
}
