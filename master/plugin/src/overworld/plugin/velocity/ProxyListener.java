package overworld.plugin.velocity;

import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.proxy.ProxyPingEvent;
import com.velocitypowered.api.event.proxy.ProxyReloadEvent;
import overworld.plugin.core.ProxyCore;

/** Handles events of the proxy as a whole. Public, because Velocity calls it by reflection. */
public final class ProxyListener {
    private final ProxyCore core;
    private final VelocityPlatform platform;

    ProxyListener(ProxyCore core, VelocityPlatform platform) {
        this.core = core;
        this.platform = platform;
    }

    /** Shows the player number and limit of the network in the server list, instead of this proxy's own values. */
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

    /**
     * A reload replaces each server that has the name of one in the proxy's configuration. Forced hosts need such
     * names there.
     */
    @Subscribe
    public void onReloaded(ProxyReloadEvent event) {
        platform.registerAgain();
    }
}
