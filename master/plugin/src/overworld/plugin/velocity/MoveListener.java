package overworld.plugin.velocity;

import com.velocitypowered.api.event.PostOrder;
import com.velocitypowered.api.event.Subscribe;
import com.velocitypowered.api.event.player.PlayerChooseInitialServerEvent;
import com.velocitypowered.api.event.player.ServerPreConnectEvent;
import com.velocitypowered.api.event.player.ServerPreConnectEvent.ServerResult;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.ProxyServer;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.UUID;
import overworld.plugin.adapter.ForcedHosts;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.platform.Verdict;

/**
 * Chooses the first server of each player, and checks every connection to a server, even if another plugin chose
 * the server. Public, because Velocity calls it by reflection.
 */
public final class MoveListener {
    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys<?> journeys;

    MoveListener(ProxyServer proxy, ProxyCore core, Journeys<?> journeys) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
    }

    /** Runs before other plugins, so that they may choose differently. */
    @Subscribe(order = PostOrder.EARLY)
    public void onJoin(PlayerChooseInitialServerEvent event) {
        if (isForced(event)) {
            return;
        }
        Player player = event.getPlayer();
        event.setInitialServer(core.firstServer(player.getUniqueId(), player::hasPermission)
                .flatMap(proxy::getServer)
                .orElse(null));
    }

    /** Runs last, because another plugin may have a server for a player for whom no fallback is free. */
    @Subscribe(order = PostOrder.LAST)
    public void onChosen(PlayerChooseInitialServerEvent event) {
        if (event.getInitialServer().isEmpty()) {
            event.getPlayer().disconnect(Text.of(core.text(MessageKey.NO_SERVER)));
        }
    }

    /**
     * Returns whether the initial server is a forced host: the proxy's own configuration assigns this server to the
     * address that the player typed.
     */
    private boolean isForced(PlayerChooseInitialServerEvent event) {
        InetSocketAddress host = event.getPlayer().getVirtualHost().orElse(null);
        RegisteredServer server = event.getInitialServer().orElse(null);
        return host != null
                && server != null
                && ForcedHosts.assigns(
                        proxy.getConfiguration().getForcedHosts(),
                        host.getHostString(),
                        server.getServerInfo().getName());
    }

    /** Runs last, so that the choices of other plugins are checked, too. */
    @Subscribe(order = PostOrder.LAST)
    public void onConnect(ServerPreConnectEvent event) {
        Player player = event.getPlayer();
        RegisteredServer target = event.getResult().getServer().orElse(null);
        if (target == null) {
            return;
        }
        UUID uuid = player.getUniqueId();
        String name = target.getServerInfo().getName();
        if (journeys.has(uuid) && name.equals(journeys.of(uuid).target())) {
            return;
        }
        String service = core.nameOf(name, target.getServerInfo().getAddress());
        Verdict verdict = core.mayEnter(uuid, service, player::hasPermission);
        if (!verdict.allowed()) {
            refuse(event, name, verdict);
        }
    }

    private void refuse(ServerPreConnectEvent event, String target, Verdict verdict) {
        Player player = event.getPlayer();
        if (player.getCurrentServer().isPresent()) {
            player.sendMessage(Text.of(verdict.message()));
            event.setResult(ServerResult.denied());
            return;
        }
        Journey<?> journey = journeys.of(player.getUniqueId()).failed(target);
        Optional<RegisteredServer> other = core.fallbackBut(
                        player.getUniqueId(), journey.tried(), player::hasPermission)
                .flatMap(proxy::getServer);
        event.setResult(other.map(ServerResult::allowed).orElseGet(ServerResult::denied));
        if (other.isPresent()) {
            journey.towards(other.get().getServerInfo().getName());
        } else {
            player.disconnect(Text.of(verdict.message()));
        }
    }
}
