package overworld.plugin.velocity;

import com.velocitypowered.api.event.PostOrder;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.connection.DisconnectEvent;
import com.velocitypowered.api.event.connection.PostLoginEvent;
import com.velocitypowered.api.event.player.ServerConnectedEvent;
import com.velocitypowered.api.proxy.Player;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.core.ProxyCore;

/**
 * Reports to the core which players are on the proxy and on which server. Public, because Velocity calls it by
 * reflection.
 */
public final class PlayerListener {
    private final ProxyCore core;
    private final Attempts<Player> attempts;
    private final Journeys journeys;
    /**
     * Players who have joined, compared by identity. Velocity also fires the disconnect event for a second
     * connection of the same account, which never joined.
     */
    private final Set<Player> joined = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    PlayerListener(ProxyCore core, Attempts<Player> attempts, Journeys journeys) {
        this.core = core;
        this.attempts = attempts;
        this.journeys = journeys;
    }

    @Subscribe(order = PostOrder.FIRST)
    public void onJoined(PostLoginEvent event) {
        Player player = event.getPlayer();
        joined.add(player);
        attempts.joined(player);
        core.joined(player.getUniqueId(), player.getUsername());
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
        if (joined.remove(player)) {
            journeys.end(player.getUniqueId());
            core.left(player.getUniqueId());
        }
    }
}
