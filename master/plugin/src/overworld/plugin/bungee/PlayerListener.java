package overworld.plugin.bungee;

import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.PlayerDisconnectEvent;
import net.md_5.bungee.api.event.PostLoginEvent;
import net.md_5.bungee.api.event.ServerSwitchEvent;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Attempts;
import overworld.plugin.adapter.Connections;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;

/**
 * Reports to the core which players are on the proxy and on which server, and tells moved players why. Public,
 * because BungeeCord calls it by reflection.
 */
public final class PlayerListener implements Listener {
    private static final byte FIRST = -64;

    private final ProxyCore core;
    private final Attempts<PendingConnection> attempts;
    private final Journeys<BaseComponent[]> journeys;
    private final MoveTexts<BaseComponent[]> texts;
    /** Older versions may fire the event of a replaced connection after the account has joined again. */
    private final Connections<ProxiedPlayer> connections;

    PlayerListener(
            ProxyCore core,
            Attempts<PendingConnection> attempts,
            Journeys<BaseComponent[]> journeys,
            MoveTexts<BaseComponent[]> texts) {
        this.core = core;
        this.attempts = attempts;
        this.journeys = journeys;
        this.texts = texts;
        connections = new Connections<>(core, journeys);
    }

    @EventHandler(priority = FIRST)
    public void onJoined(PostLoginEvent event) {
        ProxiedPlayer player = event.getPlayer();
        attempts.joined(player.getPendingConnection());
        connections.joined(player, player.getUniqueId(), player.getName());
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
        connections.ended(player, player.getUniqueId());
    }
}
