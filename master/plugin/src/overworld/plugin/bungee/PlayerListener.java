package overworld.plugin.bungee;

import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.PlayerDisconnectEvent;
import net.md_5.bungee.api.event.ServerSwitchEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.core.ProxyCore;

/** Reports to the core which server each player is on. Public, because BungeeCord calls it by reflection. */
public final class PlayerListener implements Listener {
    private final ProxyCore core;
    private final Journeys journeys;

    PlayerListener(ProxyCore core, Journeys journeys) {
        this.core = core;
        this.journeys = journeys;
    }

    @EventHandler
    public void onSwitched(ServerSwitchEvent event) {
        ProxiedPlayer player = event.getPlayer();
        core.switched(player.getUniqueId(), BungeePlatform.serverOf(player));
        journeys.end(player.getUniqueId()).ifPresent(Journey::arrived);
    }

    @EventHandler
    public void onLeft(PlayerDisconnectEvent event) {
        ProxiedPlayer player = event.getPlayer();
        journeys.end(player.getUniqueId());
        core.left(player.getUniqueId());
    }
}
