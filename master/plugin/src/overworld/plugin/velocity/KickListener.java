package overworld.plugin.velocity;

import com.velocitypowered.api.event.PostOrder;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.player.KickedFromServerEvent;
import com.velocitypowered.api.event.player.KickedFromServerEvent.DisconnectPlayer;
import com.velocitypowered.api.event.player.KickedFromServerEvent.RedirectPlayer;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.util.Optional;
import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.TranslatableComponent;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;

/**
 * Moves players to a fallback in three cases: a server kicks them, their server is lost, or they are on no server
 * and cannot enter the one that they tried. Public, because Velocity calls it by reflection.
 */
public final class KickListener {
    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys<Component> journeys;
    private final MoveTexts<Component> texts;

    KickListener(ProxyServer proxy, ProxyCore core, Journeys<Component> journeys) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
        texts = new MoveTexts<>(core, Text::of, Text::around);
    }

    /** Runs before other plugins, so that they may override the decision. */
    @Subscribe(order = PostOrder.EARLY)
    public void onKicked(KickedFromServerEvent event) {
        if (event.kickedDuringServerConnect()) {
            // The player stays on the current server, and Velocity shows the reason.
            return;
        }
        Player player = event.getPlayer();
        String server = event.getServer().getServerInfo().getName();
        Component reason = event.getServerKickReason()
                .filter(it -> !isVelocitysOwn(it))
                .orElse(null);
        Journey<Component> journey = journeys.of(player.getUniqueId());
        if (player.getCurrentServer().isPresent()) {
            journey.lost(server, reason);
        } else {
            journey.failed(server);
        }
        Optional<RegisteredServer> next = core.fallbackBut(
                        player.getUniqueId(), journey.tried(), player::hasPermission)
                .flatMap(proxy::getServer);
        if (next.isPresent()) {
            String to = next.get().getServerInfo().getName();
            journey.towards(to);
            event.setResult(RedirectPlayer.create(
                    next.get(), texts.moved(journey, to).orElse(Component.empty())));
        } else {
            event.setResult(DisconnectPlayer.create(texts.noServer(journey, reason)));
        }
    }

    /** Returns whether the reason is the text that Velocity uses when a connection closes without a message. */
    private static boolean isVelocitysOwn(Component reason) {
        return reason instanceof TranslatableComponent
                && ((TranslatableComponent) reason).key().startsWith("velocity.");
    }
}
