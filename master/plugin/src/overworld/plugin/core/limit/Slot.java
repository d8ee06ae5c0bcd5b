package overworld.plugin.core.limit;

/**
 * One slot of the player limit that is taken on this proxy. It belongs to one player, who is logging in or online, or
 * both: a player may reconnect while the old connection is still open.
 */
final class Slot {
    boolean joined;
    /** Number of allowed logins that have neither joined nor ended. */
    int pending;
    /** Time from which the pending logins count as ended (System.nanoTime). */
    long pendingUntilNs;
    /** Whether a plugin let the player join although the limit was reached. */
    boolean beyond;

    void allowLogin(long untilNs) {
        pending++;
        pendingUntilNs = untilNs;
    }

    void loginDone() {
        pending = Math.max(0, pending - 1);
    }

    boolean isFree() {
        return !joined && pending == 0;
    }
}
