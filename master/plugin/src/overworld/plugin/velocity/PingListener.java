package overworld.plugin.velocity;

import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.proxy.ProxyPingEvent;
import overworld.plugin.core.ProxyCore;

/**
 * Shows the player number and limit of the network in the server list, instead of this proxy's own values. Public,
 * because Velocity calls it by reflection.
 */
public final class PingListener {
    private final ProxyCore core;

    PingListener(ProxyCore core) {
        this.core = core;
    }

    @Subscribe
    public void onPing(ProxyPingEvent event) {
        if (core.knowsNetwork()) {
            event.setPing(event.getPing()
                    .asBuilder()
                    .onlinePlayers(core.online())
                    .maximumPlayers(core.limit())
                    .build());
        }
    }
}
