package overworld.plugin.core.network;

import java.util.function.IntSupplier;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/** Player number and limit of the network: the master's numbers, corrected by later joins and leaves on this proxy. */
public final class Numbers {
    private final IntSupplier local;
    private boolean known;
    private int online;
    private int limit;
    private int localThen;

    /**
     * Creates the numbers.
     *
     * @param local returns the players on this proxy; always 0 on game servers, because the master counts players
     *   on proxies
     */
    public Numbers(IntSupplier local) {
        this.local = local;
    }

    /** Handles a {@code network} message. */
    public void apply(Fields message) throws JsonException {
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

    public synchronized boolean known() {
        return known;
    }

    /** Returns the number of players; before the master has reported one, the players on this proxy. */
    public int online() {
        int now = local.getAsInt();
        synchronized (this) {
            return known ? Math.max(now, online + now - localThen) : now;
        }
    }

    /** Returns the limit; 0 before the master has reported it. */
    public synchronized int limit() {
        return limit;
    }
}
