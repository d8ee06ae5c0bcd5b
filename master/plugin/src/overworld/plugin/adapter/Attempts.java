package overworld.plugin.adapter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.platform.Verdict;

/**
 * Stores the logins in progress by the proxy's own connection object, because two connections may log in with one
 * UUID. Ensures that each login that the core has allowed is reported to the core exactly once as joined or as
 * disconnected.
 *
 * @param <K> the proxy's type of a connection that logs in
 */
public final class Attempts<K> {
    private final ProxyCore core;
    private final Map<K, Attempt> attempts = Collections.synchronizedMap(new IdentityHashMap<>());
    /** The latest connection of each account that logs in. */
    private final Map<UUID, K> connections = new ConcurrentHashMap<>();

    public Attempts(ProxyCore core) {
        this.core = core;
    }

    /** Registers a login. Call it before the core is asked to allow the login. */
    public void began(K connection, UUID player) {
        attempts.put(connection, new Attempt(player));
        connections.put(player, connection);
    }

    /**
     * Records the core's decision.
     *
     * @return whether the connection is still open
     */
    public boolean answered(K connection, UUID player, Verdict verdict) {
        if (!verdict.allowed()) {
            return remove(connection) != null;
        }
        Attempt attempt = attempts.get(connection);
        if (attempt != null && attempt.allow()) {
            return true;
        }
        core.loginEnded(player);
        return false;
    }

    /** Records that the connection has become a player. */
    public void joined(K connection) {
        remove(connection);
    }

    /** Records that the connection was closed, or that another plugin refused it. Ignores unknown connections. */
    public void ended(K connection) {
        Attempt attempt = remove(connection);
        if (attempt != null && attempt.end()) {
            core.loginEnded(attempt.player);
        }
    }

    /**
     * Calls {@link #ended} for all closed connections. Needed for proxies that fire no event if a connection closes
     * during its login.
     */
    public void endAll(Predicate<K> isGone) {
        List<K> all;
        synchronized (attempts) {
            all = new ArrayList<>(attempts.keySet());
        }
        all.stream().filter(isGone).forEach(this::ended);
    }

    /** Returns the latest connection that is logging in as this player; empty if there is none. */
    public Optional<K> find(UUID player) {
        return Optional.ofNullable(connections.get(player));
    }

    private Attempt remove(K connection) {
        Attempt attempt = attempts.remove(connection);
        if (attempt != null) {
            connections.remove(attempt.player, connection);
        }
        return attempt;
    }

    /** One login. Its end and the core's decision may arrive at the same time on different threads. */
    private static final class Attempt {
        private final UUID player;
        private boolean allowed;
        private boolean ended;

        Attempt(UUID player) {
            this.player = player;
        }

        /**
         * Records that the core has allowed the login.
         *
         * @return false if the login had already ended
         */
        synchronized boolean allow() {
            allowed = !ended;
            return allowed;
        }

        /**
         * Records that the login has ended.
         *
         * @return whether the core had allowed the login
         */
        synchronized boolean end() {
            ended = true;
            return allowed;
        }
    }
}
