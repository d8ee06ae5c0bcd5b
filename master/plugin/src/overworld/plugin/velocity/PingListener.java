package overworld.plugin.velocity;

import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.proxy.ProxyPingEvent;
import overworld.plugin.core.ProxyCore;

/** The server list shows the network's numbers, not this proxy's. Public, as Velocity calls it from outside. */
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
