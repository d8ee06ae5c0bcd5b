package overworld.plugin.core;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import overworld.plugin.core.command.CommandSender;
import overworld.plugin.core.link.HandOver;
import overworld.plugin.core.link.MasterLink;
import overworld.plugin.core.log.RareLog;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.messages.Messages;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.network.Fallbacks;
import overworld.plugin.core.network.Reservations;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.platform.Verdict;
import overworld.plugin.core.players.Comparison;

/**
 * Overworld's core in a proxy. Adapters report the events of their proxy and carry out the core's decisions. All
 * methods may be called from any thread and never throw. Only {@link #nameOf} may block.
 *
 * <p>Sequence of calls for each player: {@link #login}; then, if allowed, either {@link #joined} or
 * {@link #loginEnded}. After {@link #joined}, any number of {@link #switched}, and at the end {@link #left}. Missed
 * events are corrected by a comparison with {@link ProxyPlatform#players()} every second.
 */
public final class ProxyCore implements AutoCloseable {
    private final RareLog log;
    private final Messages messages;
    /** The parts of this core; null if Overworld did not start this proxy. */
    private final ProxyParts parts;

    private ProxyCore(RareLog log, Messages messages, ProxyParts parts) {
        this.log = log;
        this.messages = messages;
        this.parts = parts;
    }

    /**
     * Starts the core. If the platform's folder has no hand-over file, Overworld did not start this proxy. The core
     * logs that once and then allows everything.
     */
    public static ProxyCore start(ProxyPlatform platform) {
        RareLog log = new RareLog(platform::log);
        if (!HandOver.isIn(platform.folder())) {
            log.info("There is no " + HandOver.FILE + " here, so this proxy was not started by Overworld: its plugin does "
                    + "nothing.");
            return new ProxyCore(log, new Messages(platform.folder(), log), null);
        }
        ProxyParts parts = new ProxyParts(platform, MasterLink.ownService(platform.folder(), log), log);
        ProxyCore core = new ProxyCore(log, parts.messages, parts);
        core.adoptPlayers(platform);
        parts.start(core.new Missed());
        return core;
    }

    /** Whether Overworld started this proxy. If not, adapters change nothing. */
    public boolean active() {
        return parts != null;
    }

    /**
     * Requests a slot for a player who logs in and is authenticated. Completes immediately while this proxy has
     * slots, otherwise within about 10 s (response of the master, then of other plugins) on a thread of the core.
     * Never completes with an exception.
     */
    public CompletableFuture<Verdict> login(UUID player, String name) {
        if (parts == null) {
            return CompletableFuture.completedFuture(Verdict.allow());
        }
        try {
            return parts.admission.login(player, name);
        } catch (RuntimeException e) {
            log.failure("a login", e);
            return CompletableFuture.completedFuture(Verdict.refuse(messages.text(MessageKey.BUSY)));
        }
    }

    /** Reports that an allowed login was closed before the player joined. */
    public void loginEnded(UUID player) {
        act("completing a login", () -> parts.admission.loginEnded(player));
    }

    /** Reports that a player has joined this proxy. */
    public void joined(UUID player, String name) {
        act("a join", () -> parts.sessions.joined(player, name, parts.admission.joined(player, name)));
    }

    /**
     * Returns the server for a player who has just joined, and reserves a slot on it for some seconds.
     *
     * @param permission returns whether the player has a permission
     * @return empty if no server is available; show the player {@link MessageKey#NO_SERVER}
     */
    public Optional<String> firstServer(UUID player, Predicate<String> permission) {
        return fallback(player, null, permission);
    }

    /**
     * Returns the name of a server for {@link #mayEnter}. A server in the proxy's own configuration may have the
     * address of a server of this network. It then gets the name of that server.
     *
     * <p>If the address contains a host name, and a server of this network has the same port, the host name is looked
     * up. This may block.
     *
     * @param address null if unknown
     */
    public String nameOf(String server, SocketAddress address) {
        return ask("a server's address", server, () -> parts.network.nameOf(server, address));
    }

    /**
     * Returns whether a player may enter a server. Must be called for every change of a server, including the first
     * server.
     *
     * @param server result of {@link #nameOf}
     */
    public Verdict mayEnter(UUID player, String server, Predicate<String> permission) {
        return ask("a server switch", Verdict.allow(), () -> {
            Backend backend = parts.network.find(server);
            if (backend == null || server.equals(parts.sessions.serverOf(player))) {
                return Verdict.allow();
            }
            if (!Fallbacks.isPermitted(backend, guarded(permission))) {
                return Verdict.refuse(messages.text(MessageKey.NO_PERMISSION, server));
            }
            return backend.open() ? Verdict.allow() : Verdict.refuse(messages.text(MessageKey.CLOSED, server));
        });
    }

    /**
     * Returns the next server for a player who was kicked from a server, lost it, or could not enter it. Servers
     * that sent the player away in the last 10 s are excluded, too, so that no player is moved between two servers
     * without end.
     *
     * @param from the server that the player lost or could not enter, which is never returned; null for none
     * @return empty if no server is available
     */
    public Optional<String> fallback(UUID player, String from, Predicate<String> permission) {
        return fallbackBut(player, from == null ? List.of() : List.of(from), permission);
    }

    /**
     * Returns the next server for a player who lost or could not enter several servers. Works like {@link #fallback}.
     *
     * @param not the servers that the player lost or could not enter; they are never returned
     * @return empty if no server is available
     */
    public Optional<String> fallbackBut(UUID player, Collection<String> not, Predicate<String> permission) {
        return ask("choosing a server", Optional.empty(), () -> {
            Reservations reservations = parts.reservations;
            not.forEach(server -> reservations.sentAway(player, server));
            Optional<String> chosen = Fallbacks.choose(
                            parts.network.all(),
                            backend -> parts.network.crowd(backend) + reservations.toServer(backend.id()),
                            id -> reservations.wasSentAway(player, id),
                            guarded(permission))
                    .map(Backend::id);
            chosen.ifPresent(server -> reservations.onTheWay(player, server));
            return chosen;
        });
    }

    /**
     * Reports the server that a player is on.
     *
     * @param server null if the player is on none
     */
    public void switched(UUID player, String server) {
        act("a server switch", () -> {
            parts.sessions.switched(player, server);
            if (server != null) {
                parts.reservations.arrived(player);
            }
        });
    }

    /** Reports that a player has left this proxy. */
    public void left(UUID player) {
        act("a leave", () -> {
            parts.sessions.left(player);
            parts.admission.left(player);
            parts.reservations.left(player);
        });
    }

    /**
     * Whether the master has reported the player number and limit of the network. Before that, adapters leave these
     * numbers in the proxy's answers to status pings unchanged.
     */
    public boolean knowsNetwork() {
        return parts != null && parts.numbers.known();
    }

    /** Returns the number of players on the whole network. */
    public int online() {
        return parts == null ? 0 : parts.numbers.online();
    }

    /** Returns the player limit of the whole network ({@code max_online_players}). */
    public int limit() {
        return parts == null ? 0 : parts.numbers.limit();
    }

    /** Returns a message to a player: the admin's text, or the default if there is none. */
    public String text(MessageKey key, Object... values) {
        return messages.text(key, values);
    }

    /**
     * Runs {@code /cloud}. The result is sent to the sender, immediately or after the master's response.
     *
     * @param arguments what follows {@code /cloud}
     */
    public void command(CommandSender sender, String[] arguments) {
        if (parts == null) {
            sender.message("This proxy was not started by Overworld.");
            return;
        }
        act("a command", () -> parts.commands.run(sender, arguments));
    }

    /** Returns completions of the last argument of {@code /cloud}. */
    public List<String> complete(CommandSender sender, String[] arguments) {
        return ask("tab completion", List.of(), () -> parts.commands.complete(sender, arguments));
    }

    /** Closes the link and stops all threads. The master keeps this proxy's slots until the service has exited. */
    @Override
    public void close() {
        act("shutting down", () -> parts.close());
    }

    private void adoptPlayers(ProxyPlatform platform) {
        act("taking over players", () -> platform.players().forEach(player -> {
            parts.admission.adopt(player.uuid());
            parts.sessions.joined(player.uuid(), player.name(), false);
            parts.sessions.switched(player.uuid(), player.server());
        }));
    }

    private void act(String what, Runnable task) {
        if (parts != null) {
            parts.tasks.guard(what, task);
        }
    }

    private <T> T ask(String what, T otherwise, Supplier<T> question) {
        if (parts == null) {
            return otherwise;
        }
        try {
            return question.get();
        } catch (RuntimeException e) {
            log.failure(what, e);
            return otherwise;
        }
    }

    /** Returns a predicate that treats a failing permission lookup as "not permitted". */
    private Predicate<String> guarded(Predicate<String> permission) {
        return name -> {
            try {
                return permission.test(name);
            } catch (RuntimeException e) {
                log.failure("a permission", e);
                return false;
            }
        };
    }

    /** Handles events that the adapter missed. */
    private final class Missed implements Comparison.Correction {
        @Override
        public void joined(UUID player, String name) {
            ProxyCore.this.joined(player, name);
        }

        @Override
        public void switched(UUID player, String server) {
            ProxyCore.this.switched(player, server);
        }

        @Override
        public void left(UUID player) {
            ProxyCore.this.left(player);
        }
    }
}
