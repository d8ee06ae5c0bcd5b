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
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.messages.MessageKey;

/**
 * Moves a player to a fallback after a server has kicked the player. A player who was kicked while entering a server
 * stays on the previous server. Public, because BungeeCord calls it by reflection.
 */
public final class KickListener implements Listener {
    /** Priority that runs before other plugins, so that they may change the decision. */
    private static final byte EARLY = -32;

    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys journeys;

    KickListener(ProxyServer proxy, ProxyCore core, Journeys journeys) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
    }

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
        Journey journey = journeys.of(uuid);
        if (connecting) {
            journey.failed(kickedFrom);
        } else {
            journey.lost(kickedFrom);
        }
        Optional<ServerInfo> next = core.fallbackBut(uuid, journey.tried(), player::hasPermission)
                .map(proxy::getServerInfo);
        event.setCancelled(next.isPresent());
        if (next.isPresent()) {
            redirect(event, journey, next.get());
        } else if (connecting) {
            // Without this line, BungeeCord would keep a player without a server connected, with a chat message that
            // the player cannot see.
            player.disconnect(event.getKickReasonComponent());
        }
    }

    private void redirect(ServerKickEvent event, Journey journey, ServerInfo next) {
        journey.towards(next.getName());
        event.setCancelServer(next);
        if (journey.from() != null && journey.from().equals(event.getKickedFrom().getName())) {
            ProxiedPlayer player = event.getPlayer();
            BaseComponent[] reason = event.getKickReasonComponent();
            journey.onArrival(() -> {
                String text = core.text(
                        MessageKey.KICKED, journey.from(), BungeePlatform.serverOf(player), Text.PLACE);
                player.sendMessage(Text.around(text, reason));
            });
        }
    }
}
