package overworld.plugin.bungee;

import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.PlayerDisconnectEvent;
import net.md_5.bungee.api.event.ServerSwitchEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;

/**
 * Reports to the core which server each player is on, and tells moved players why. Public, because BungeeCord calls
 * it by reflection.
 */
public final class PlayerListener implements Listener {
    private final ProxyCore core;
    private final Journeys<BaseComponent[]> journeys;
    private final MoveTexts<BaseComponent[]> texts;

    PlayerListener(ProxyCore core, Journeys<BaseComponent[]> journeys, MoveTexts<BaseComponent[]> texts) {
        this.core = core;
        this.journeys = journeys;
        this.texts = texts;
    }

    @EventHandler
    public void onSwitched(ServerSwitchEvent event) {
        ProxiedPlayer player = event.getPlayer();
        String server = BungeePlatform.serverOf(player);
        core.switched(player.getUniqueId(), server);
        journeys.end(player.getUniqueId())
                .flatMap(journey -> texts.moved(journey, server))
                .ifPresent(player::sendMessage);
    }

    @EventHandler
    public void onLeft(PlayerDisconnectEvent event) {
        ProxiedPlayer player = event.getPlayer();
        journeys.end(player.getUniqueId());
        core.left(player.getUniqueId());
    }
}
