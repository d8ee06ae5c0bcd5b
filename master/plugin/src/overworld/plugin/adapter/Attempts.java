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
import overworld.plugin.core.Verdict;

/**
 * Logins that are under way, each by the proxy's own object for it: two people (or one twice) may try to log in with
 * one UUID. Sees to it that the core hears of the end of each login that it allowed exactly once: joined or given up.
 *
 * @param <K> what the proxy calls a connection that logs in
 */
public final class Attempts<K> {
    private final ProxyCore core;
    private final Map<K, Attempt> attempts = Collections.synchronizedMap(new IdentityHashMap<>());
    /** The latest of each account. */
    private final Map<UUID, K> connections = new ConcurrentHashMap<>();

    public Attempts(ProxyCore core) {
        this.core = core;
    }

    /** A login that the core is asked about now. */
    public void began(K connection, UUID player) {
        attempts.put(connection, new Attempt(player));
        connections.put(player, connection);
    }

    /**
     * The core has answered.
     *
     * @return whether the connection was still there; if not, nobody waits for the answer any more
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

    /** The connection has become a player. */
    public void joined(K connection) {
        remove(connection);
    }

    /** The connection is gone, or was refused by somebody else; one that is not known here is left alone. */
    public void ended(K connection) {
        Attempt attempt = remove(connection);
        if (attempt != null && attempt.end()) {
            core.loginEnded(attempt.player);
        }
    }

    /** Ends all that are gone: for proxies that do not tell when a connection ends before it has become a player. */
    public void endAll(Predicate<K> isGone) {
        List<K> all;
        synchronized (attempts) {
            all = new ArrayList<>(attempts.keySet());
        }
        all.stream().filter(isGone).forEach(this::ended);
    }

    /** A connection that logs in as that player. */
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

    /** One login. Its end and the core's answer may come at the same instant. */
    private static final class Attempt {
        private final UUID player;
        private boolean allowed;
        private boolean ended;

        Attempt(UUID player) {
            this.player = player;
        }

        /** @return false when it had ended before */
        synchronized boolean allow() {
            allowed = !ended;
            return allowed;
        }

        /** @return whether the core had allowed it */
        synchronized boolean end() {
            ended = true;
            return allowed;
        }
    }
}
