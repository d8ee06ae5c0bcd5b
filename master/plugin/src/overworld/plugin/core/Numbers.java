package overworld.plugin.core;

import java.util.function.IntSupplier;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/** How many players are on the network and may be: the master's numbers, and what changed on this proxy since. */
final class Numbers {
    private final IntSupplier local;
    private boolean known;
    private int online;
    private int limit;
    private int localThen;

    /** @param local players on this proxy now; on game servers always 0, as the master counts proxies */
    Numbers(IntSupplier local) {
        this.local = local;
    }

    /** Takes a {@code network} message in. */
    void apply(Fields message) throws JsonException {
        int newOnline = message.number("online", 0);
        int newLimit = message.number("limit", 0);
        int now = local.getAsInt();
        synchronized (this) {
            online = newOnline;
            limit = newLimit;
            localThen = now;
            known = true;
        }
    }

    synchronized boolean known() {
        return known;
    }

    /** Before the master has said a number: the players on this proxy. */
    int online() {
        int now = local.getAsInt();
        synchronized (this) {
            return known ? Math.max(now, online + now - localThen) : now;
        }
    }

    /** 0 before the master has said it. */
    synchronized int limit() {
        return limit;
    }
}
