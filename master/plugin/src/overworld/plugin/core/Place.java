package overworld.plugin.core;

/**
 * One place of the limit on this proxy. It belongs to one player, who is logging in, online, or both if the player
 * reconnects while the old connection is still open.
 */
final class Place {
    boolean joined;
    /** Number of allowed logins that have neither joined nor ended. */
    int pending;
    /** Time when those logins count as ended (System.nanoTime). */
    long pendingUntilNs;
    /** Whether a plugin admitted the player although the limit was reached. */
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
