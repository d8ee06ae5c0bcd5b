package overworld.plugin.core;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import overworld.plugin.core.link.HandOver;
import overworld.plugin.core.log.RareLog;

/**
 * Overworld's part in a proxy. Made by {@link #start}; adapters tell it what happens on their proxy and do what it says.
 * All methods may be called from any thread, never wait and never throw.
 *
 * <p>Order for each player: {@link #login}; then, if allowed, either {@link #joined} or {@link #loginEnded}; after
 * joined any number of {@link #switched}, at the end {@link #left}. What an adapter misses is put right by comparing
 * with {@link ProxyPlatform#players()} every second.
 */
public final class ProxyCore implements AutoCloseable {
    private final RareLog log;
    private final Messages messages;
    /** Null: not started by Overworld. */
    private final ProxyParts parts;

    private ProxyCore(RareLog log, Messages messages, ProxyParts parts) {
        this.log = log;
        this.messages = messages;
        this.parts = parts;
    }

    /**
     * Starts Overworld's part. Without a hand-over file in the platform's folder that is said once in the log, and all
     * is allowed: the proxy was not started by Overworld.
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

    /** Whether there was a hand-over file. If not, adapters leave everything as it is without them. */
    public boolean active() {
        return parts != null;
    }

    /**
     * Asks for a place for a player who logs in, after the account was checked. Completed at once while this proxy has
     * places, else within about 10 s (the master's answer, then other plugins'), from a thread of the core. Never completed
     * with an exception.
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

    /** A player who was allowed to log in is gone before having joined. */
    public void loginEnded(UUID player) {
        act("the end of a login", () -> parts.admission.loginEnded(player));
    }

    /** A player is on this proxy now. */
    public void joined(UUID player, String name) {
        act("a join", () -> parts.sessions.joined(player, name, parts.admission.joined(player, name)));
    }

    /**
     * The server for a player who has just joined; reserves a place there for some seconds.
     *
     * @param permission tells whether the player holds a permission
     * @return empty: there is none; tell the player {@link MessageKey#NO_SERVER}
     */
    public Optional<String> firstServer(UUID player, Predicate<String> permission) {
        return fallback(player, null, permission);
    }

    /** Whether a player may go to a server; to be asked on every switch, also on the first one. */
    public Verdict mayEnter(UUID player, String server, Predicate<String> permission) {
        return ask("a switch", Verdict.allow(), () -> {
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
     * The server for a player who was kicked from one or lost it, or could not enter it. Servers that sent the player away
     * in the last 10 s are not chosen either, so that nobody is passed round between two.
     *
     * @param from that server, never chosen; null for none
     * @return empty: there is none
     */
    public Optional<String> fallback(UUID player, String from, Predicate<String> permission) {
        return fallbackBut(player, from == null ? List.of() : List.of(from), permission);
    }

    /**
     * As {@link #fallback}, for a player who could not enter several servers, one after the other.
     *
     * @param not never chosen
     * @return empty: there is none (any more)
     */
    public Optional<String> fallbackBut(UUID player, Collection<String> not, Predicate<String> permission) {
        return ask("the choice of a server", Optional.empty(), () -> {
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

    /** @param server the server that the player is on now; null: on none */
    public void switched(UUID player, String server) {
        act("a switch", () -> {
            parts.sessions.switched(player, server);
            if (server != null) {
                parts.reservations.arrived(player);
            }
        });
    }

    /** A player has left this proxy. */
    public void left(UUID player) {
        act("a leave", () -> {
            parts.sessions.left(player);
            parts.admission.left(player);
            parts.reservations.left(player);
        });
    }

    /** Whether the master has told the network's numbers; before, adapters leave the ping as it is. */
    public boolean knowsNetwork() {
        return parts != null && parts.numbers.known();
    }

    /** Players on the whole network. */
    public int online() {
        return parts == null ? 0 : parts.numbers.online();
    }

    /** Most players on the whole network ({@code max_online_players}). */
    public int limit() {
        return parts == null ? 0 : parts.numbers.limit();
    }

    /** What a player is told, with the admin's own words if there are any. */
    public String text(MessageKey key, Object... values) {
        return messages.text(key, values);
    }

    /**
     * Carries out {@code /cloud}: answers go to the sender, at once or when the master has answered.
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

    /** What the last argument of {@code /cloud} may become, for the tab key. */
    public List<String> complete(CommandSender sender, String[] arguments) {
        return ask("the tab key", List.of(), () -> parts.commands.complete(sender, arguments));
    }

    /** Ends the link and all threads; places are kept by the master until the service is gone. */
    @Override
    public void close() {
        act("the end", () -> parts.close());
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

    /** A permission that cannot be looked up is not held. */
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

    /** Events that the adapter missed. */
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
