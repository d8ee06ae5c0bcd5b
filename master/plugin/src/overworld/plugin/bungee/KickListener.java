package overworld.plugin.bungee;

import java.util.Optional;
import java.util.UUID;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.ServerKickEvent;
import net.md_5.bungee.api.event.ServerKickEvent.State;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;

/**
 * Moves a player to a fallback after a server has kicked the player. A player who was kicked while entering a server
 * stays on the previous server. Public, because BungeeCord calls it by reflection.
 */
public final class KickListener implements Listener {
    private static final byte EARLY = -32;

    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys<BaseComponent[]> journeys;
    private final MoveTexts<BaseComponent[]> texts;

    KickListener(
            ProxyServer proxy,
            ProxyCore core,
            Journeys<BaseComponent[]> journeys,
            MoveTexts<BaseComponent[]> texts) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
        this.texts = texts;
    }

    /** Runs before other plugins, so that they may change the decision. */
    @EventHandler(priority = EARLY)
    public void onKick(ServerKickEvent event) {
        ProxiedPlayer player = event.getPlayer();
        UUID uuid = player.getUniqueId();
        String kickedFrom = event.getKickedFrom().getName();
        boolean connecting = event.getState() == State.CONNECTING;
        if (connecting && !journeys.has(uuid)) {
            // Without this line, BungeeCord would remove a player from the current server when another server rejects
            // the player as outdated.
            event.setCancelled(false);
            return;
        }
        Journey<BaseComponent[]> journey = journeys.of(uuid);
        BaseComponent[] reason = event.getKickReasonComponent();
        if (connecting) {
            journey.failed(kickedFrom);
        } else {
            journey.lost(kickedFrom, reason);
        }
        Optional<ServerInfo> next = core.fallbackBut(uuid, journey.tried(), player::hasPermission)
                .map(proxy::getServerInfo);
        event.setCancelled(next.isPresent());
        if (next.isPresent()) {
            journey.towards(next.get().getName());
            event.setCancelServer(next.get());
        } else if (connecting) {
            // Without this line, BungeeCord would keep a player without a server connected, with a chat message that
            // the player cannot see.
            player.disconnect(texts.noServer(journey, reason));
        }
    }
}
