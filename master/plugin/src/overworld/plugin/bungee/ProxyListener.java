package overworld.plugin.bungee;

import net.md_5.bungee.api.ServerPing;
import net.md_5.bungee.api.event.ProxyPingEvent;
import net.md_5.bungee.api.event.ProxyReloadEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.api.plugin.Plugin;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.core.ProxyCore;

/** Handles events of the proxy as a whole. Public, because BungeeCord calls it by reflection. */
public final class ProxyListener implements Listener {
    private final Plugin plugin;
    private final ProxyCore core;
    private final BungeePlatform platform;

    ProxyListener(Plugin plugin, ProxyCore core, BungeePlatform platform) {
        this.plugin = plugin;
        this.core = core;
        this.platform = platform;
    }

    /** Shows the player number and limit of the network in the server list, instead of this proxy's own values. */
    @EventHandler
    public void onPing(ProxyPingEvent event) {
        ServerPing response = event.getResponse();
        if (response == null || response.getPlayers() == null || !core.knowsNetwork()) {
            return;
        }
        response.getPlayers().setOnline(core.online());
        response.getPlayers().setMax(core.limit());
    }

    @EventHandler
    public void onReloaded(ProxyReloadEvent event) {
        platform.registerAgain();
        Priorities.fill(plugin.getProxy(), plugin.getLogger());
    }
}
