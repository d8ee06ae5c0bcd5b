package overworld.plugin.core;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Overworld's part in a proxy. Made by {@link #start}; adapters tell it what happens on their proxy and do what it says.
 * All methods may be called from any thread, never wait and never throw.
 *
 * <p>Order for each player: {@link #login}; then, if allowed, either {@link #joined} or {@link #loginEnded}; after
 * joined any number of {@link #switched}, at the end {@link #left}. What an adapter misses is put right by comparing
 * with {@link ProxyPlatform#players()} every second.
 */
public final class ProxyCore implements AutoCloseable {
    private ProxyCore() {}

    /**
     * Starts Overworld's part. Without a hand-over file in the platform's folder that is said once in the log, and all
     * is allowed: the proxy was not started by Overworld.
     */
    public static ProxyCore start(ProxyPlatform platform) {
        throw new UnsupportedOperationException(platform.kind());
    }

    /** Whether there was a hand-over file. If not, adapters leave everything as it is without them. */
    public boolean active() {
        throw new UnsupportedOperationException();
    }

    /**
     * Asks for a place for a player who logs in, after the account was checked. Completed at once while this proxy has
     * places, else within about 5 s, from a thread of the core. Never completed with an exception.
     */
    public CompletableFuture<Verdict> login(UUID player, String name) {
        throw new UnsupportedOperationException();
    }

    /** A player who was allowed to log in is gone before having joined. */
    public void loginEnded(UUID player) {
        throw new UnsupportedOperationException();
    }

    /** A player is on this proxy now. */
    public void joined(UUID player, String name) {
        throw new UnsupportedOperationException();
    }

    /**
     * The server for a player who has just joined; reserves a place there for some seconds.
     *
     * @param permission tells whether the player holds a permission
     * @return empty: there is none; tell the player {@link MessageKey#NO_SERVER}
     */
    public Optional<String> firstServer(UUID player, Predicate<String> permission) {
        throw new UnsupportedOperationException();
    }

    /** Whether a player may go to a server; to be asked on every switch, also on the first one. */
    public Verdict mayEnter(UUID player, String server, Predicate<String> permission) {
        throw new UnsupportedOperationException();
    }

    /**
     * The server for a player who was kicked from one or lost it, or could not enter it.
     *
     * @param from that server, never chosen; null for none
     * @return empty: there is none
     */
    public Optional<String> fallback(UUID player, String from, Predicate<String> permission) {
        throw new UnsupportedOperationException();
    }

    /**
     * As {@link #fallback}, for a player who could not enter several servers, one after the other.
     *
     * @param not never chosen
     * @return empty: there is none (any more)
     */
    public Optional<String> fallbackBut(UUID player, Collection<String> not, Predicate<String> permission) {
        throw new UnsupportedOperationException();
    }

    /** @param server the server that the player is on now; null: on none */
    public void switched(UUID player, String server) {
        throw new UnsupportedOperationException();
    }

    /** A player has left this proxy. */
    public void left(UUID player) {
        throw new UnsupportedOperationException();
    }

    /** Whether the master has told the network's numbers; before, adapters leave the ping as it is. */
    public boolean knowsNetwork() {
        throw new UnsupportedOperationException();
    }

    /** Players on the whole network. */
    public int online() {
        throw new UnsupportedOperationException();
    }

    /** Most players on the whole network ({@code max_online_players}). */
    public int limit() {
        throw new UnsupportedOperationException();
    }

    /** What a player is told, with the admin's own words if there are any. */
    public String text(MessageKey key, Object... values) {
        throw new UnsupportedOperationException();
    }

    /**
     * Carries out {@code /cloud}: answers go to the sender, at once or when the master has answered.
     *
     * @param arguments what follows {@code /cloud}
     */
    public void command(CommandSender sender, String[] arguments) {
        throw new UnsupportedOperationException();
    }

    /** What the last argument of {@code /cloud} may become, for the tab key. */
    public List<String> complete(CommandSender sender, String[] arguments) {
        throw new UnsupportedOperationException();
    }

    /** Ends the link and all threads; places are kept by the master until the service is gone. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
