package overworld.plugin.bungee;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.ServerConnectRequest;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.ServerConnectEvent;
import net.md_5.bungee.api.event.ServerConnectEvent.Reason;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.platform.Verdict;

/**
 * Handles every connection of a player to a server. Chooses the server of players who have none, and checks servers
 * that a command or another plugin has chosen.
 *
 * <p>BungeeCord fires the event again for each server that cannot be reached, but only for requests with {@code
 * retry}. Therefore the request of a player who lost a server is replaced by one with {@code retry}. Public,
 * because BungeeCord calls it by reflection.
 */
public final class MoveListener implements Listener {
    private static final byte LAST = 64;

    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys journeys;

    MoveListener(ProxyServer proxy, ProxyCore core, Journeys journeys) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
    }

    /** Runs last, so that the choices of other plugins are checked, too. */
    @EventHandler(priority = LAST)
    public void onConnect(ServerConnectEvent event) {
        if (event.isCancelled()) {
            return;
        }
        ProxiedPlayer player = event.getPlayer();
        Reason reason = event.getReason();
        if (reason == Reason.JOIN_PROXY) {
            join(event, journeys.of(player.getUniqueId()));
        } else if (reason == Reason.LOBBY_FALLBACK) {
            Journey journey = journeys.of(player.getUniqueId());
            goOn(event, journey.failed(journey.target()));
        } else if (reason == Reason.SERVER_DOWN_REDIRECT) {
            Journey journey = journeys.of(player.getUniqueId()).lost(BungeePlatform.serverOf(player));
            journey.onArrival(() -> {
                String text = core.text(MessageKey.LOST, journey.from(), BungeePlatform.serverOf(player));
                player.sendMessage(Text.of(text));
            });
            beginAnew(event, journey);
        } else {
            check(event);
        }
    }

    private void join(ServerConnectEvent event, Journey journey) {
        ProxiedPlayer player = event.getPlayer();
        if (isForced(event) && mayEnter(player, event.getTarget()).allowed()) {
            journey.towards(event.getTarget().getName());
            return;
        }
        Optional<ServerInfo> first = core.firstServer(player.getUniqueId(), permissionsOf(player))
                .map(proxy::getServerInfo);
        redirect(event, journey, first);
    }

    /**
     * Returns whether the target is a forced host: the proxy's own configuration assigns this server to the address
     * that the player typed.
     */
    private static boolean isForced(ServerConnectEvent event) {
        var connection = event.getPlayer().getPendingConnection();
        var host = connection.getVirtualHost();
        String forced = host == null ? null : connection.getListener().getForcedHosts().get(host.getHostString());
        return forced != null && forced.equalsIgnoreCase(event.getTarget().getName());
    }

    private void goOn(ServerConnectEvent event, Journey journey) {
        redirect(event, journey, next(event.getPlayer(), journey));
    }

    private void redirect(ServerConnectEvent event, Journey journey, Optional<ServerInfo> server) {
        if (server.isPresent()) {
            journey.towards(server.get().getName());
            event.setTarget(server.get());
        } else {
            giveUp(event, journey);
        }
    }

    private void beginAnew(ServerConnectEvent event, Journey journey) {
        Optional<ServerInfo> server = next(event.getPlayer(), journey);
        if (server.isPresent()) {
            send(event, journey, server.get());
        } else {
            giveUp(event, journey);
        }
    }

    private static void send(ServerConnectEvent event, Journey journey, ServerInfo server) {
        journey.towards(server.getName());
        event.setCancelled(true);
        event.getPlayer()
                .connect(ServerConnectRequest.builder()
                        .target(server)
                        .reason(Reason.PLUGIN)
                        .retry(true)
                        .build());
    }

    private void giveUp(ServerConnectEvent event, Journey journey) {
        event.setCancelled(true);
        String message = journey.from() == null
                ? core.text(MessageKey.NO_SERVER)
                : core.text(MessageKey.LOST_NO_SERVER, journey.from());
        event.getPlayer().disconnect(Text.of(message));
    }

    /** Checks a server that was chosen by a command, another plugin, or {@link KickListener}. */
    private void check(ServerConnectEvent event) {
        ProxiedPlayer player = event.getPlayer();
        UUID uuid = player.getUniqueId();
        boolean travels = journeys.has(uuid);
        ServerInfo target = event.getTarget();
        if (travels && target.getName().equals(journeys.of(uuid).target())) {
            if (event.getReason() == Reason.KICK_REDIRECT) {
                send(event, journeys.of(uuid), target);
            }
            return;
        }
        Verdict verdict = mayEnter(player, target);
        if (verdict.allowed()) {
            if (travels) {
                journeys.of(uuid).towards(target.getName());
            }
            return;
        }
        player.sendMessage(Text.of(verdict.message()));
        if (travels) {
            beginAnew(event, journeys.of(uuid).failed(target.getName()));
        } else {
            event.setCancelled(true);
        }
    }

    private Optional<ServerInfo> next(ProxiedPlayer player, Journey journey) {
        return core.fallbackBut(player.getUniqueId(), journey.tried(), permissionsOf(player))
                .map(proxy::getServerInfo);
    }

    private Verdict mayEnter(ProxiedPlayer player, ServerInfo server) {
        String name = core.nameOf(server.getName(), server.getSocketAddress());
        return core.mayEnter(player.getUniqueId(), name, permissionsOf(player));
    }

    private static Predicate<String> permissionsOf(ProxiedPlayer player) {
        return player::hasPermission;
    }
}
