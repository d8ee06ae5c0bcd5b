package overworld.plugin.bungee;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import net.md_5.bungee.api.ProxyServer;
import net.md_5.bungee.api.ServerConnectRequest;
import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.event.ServerConnectEvent;
import net.md_5.bungee.api.event.ServerConnectEvent.Reason;
import net.md_5.bungee.api.plugin.Listener;
import net.md_5.bungee.event.EventHandler;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;
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
    private static final byte EARLY = -32;
    private static final byte LAST = 64;

    private final ProxyServer proxy;
    private final ProxyCore core;
    private final Journeys<BaseComponent[]> journeys;
    private final MoveTexts<BaseComponent[]> texts;

    MoveListener(
            ProxyServer proxy,
            ProxyCore core,
            Journeys<BaseComponent[]> journeys,
            MoveTexts<BaseComponent[]> texts) {
        this.proxy = proxy;
        this.core = core;
        this.journeys = journeys;
        this.texts = texts;
    }

    /** Chooses the first server. Runs before other plugins, so that they may choose differently. */
    @EventHandler(priority = EARLY)
    public void onJoin(ServerConnectEvent event) {
        if (event.isCancelled() || event.getReason() != Reason.JOIN_PROXY) {
            return;
        }
        ProxiedPlayer player = event.getPlayer();
        ServerInfo target = event.getTarget();
        Journey<BaseComponent[]> journey = journeys.of(player.getUniqueId());
        if (isForced(event) && mayEnter(player, target).allowed()) {
            journey.towards(target.getName());
            return;
        }
        Optional<ServerInfo> first = core.firstServer(player.getUniqueId(), permissionsOf(player))
                .map(proxy::getServerInfo);
        if (first.isPresent()) {
            aim(event, journey, first.get());
        } else {
            // BungeeCord's own choice is not used. If the target stays the same, no plugin has chosen a server.
            journey.failed(target.getName());
        }
    }

    /** Runs last, so that the choices of other plugins are checked, too. */
    @EventHandler(priority = LAST)
    public void onConnect(ServerConnectEvent event) {
        if (event.isCancelled()) {
            return;
        }
        ProxiedPlayer player = event.getPlayer();
        UUID uuid = player.getUniqueId();
        Reason reason = event.getReason();
        if (reason == Reason.JOIN_PROXY) {
            join(event, journeys.of(uuid));
        } else if (reason == Reason.LOBBY_FALLBACK) {
            tryNext(event);
        } else if (reason == Reason.SERVER_DOWN_REDIRECT) {
            beginAnew(event, journeys.of(uuid).lost(BungeePlatform.serverOf(player), null));
        } else {
            check(event);
        }
    }

    private void join(ServerConnectEvent event, Journey<BaseComponent[]> journey) {
        ServerInfo target = event.getTarget();
        String name = target.getName();
        if (name.equals(journey.target())) {
            return;
        }
        if (!journey.tried().contains(name) && mayEnter(event.getPlayer(), target).allowed()) {
            journey.towards(name);
        } else {
            goOn(event, journey.failed(name));
        }
    }

    /** Handles a server that could not be reached. */
    private void tryNext(ServerConnectEvent event) {
        ProxiedPlayer player = event.getPlayer();
        UUID uuid = player.getUniqueId();
        if (!journeys.has(uuid) && player.getServer() != null) {
            // Another plugin tried to move the player. The player stays on the current server.
            event.setCancelled(true);
            return;
        }
        Journey<BaseComponent[]> journey = journeys.of(uuid);
        goOn(event, journey.failed(journey.target()));
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

    private void goOn(ServerConnectEvent event, Journey<BaseComponent[]> journey) {
        Optional<ServerInfo> server = next(event.getPlayer(), journey);
        if (server.isPresent()) {
            aim(event, journey, server.get());
        } else {
            giveUp(event, journey);
        }
    }

    private static void aim(ServerConnectEvent event, Journey<BaseComponent[]> journey, ServerInfo server) {
        journey.towards(server.getName());
        event.setTarget(server);
    }

    private void beginAnew(ServerConnectEvent event, Journey<BaseComponent[]> journey) {
        Optional<ServerInfo> server = next(event.getPlayer(), journey);
        if (server.isPresent()) {
            send(event, journey, server.get());
        } else {
            giveUp(event, journey);
        }
    }

    private static void send(ServerConnectEvent event, Journey<BaseComponent[]> journey, ServerInfo server) {
        journey.towards(server.getName());
        event.setCancelled(true);
        event.getPlayer()
                .connect(ServerConnectRequest.builder()
                        .target(server)
                        .reason(Reason.PLUGIN)
                        .retry(true)
                        .build());
    }

    private void giveUp(ServerConnectEvent event, Journey<BaseComponent[]> journey) {
        event.setCancelled(true);
        event.getPlayer().disconnect(texts.noServer(journey, null));
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

    private Optional<ServerInfo> next(ProxiedPlayer player, Journey<BaseComponent[]> journey) {
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
