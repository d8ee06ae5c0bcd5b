package overworld.plugin.core;

/**
 * One place of the limit on this proxy, held by one player: by who logs in, by who is here, and by both when somebody comes
 * again while the old connection still stands.
 */
final class Place {
    boolean joined;
    /** Logins that were allowed and have neither joined nor ended. */
    int pending;
    /** When those are taken to have ended, by System.nanoTime. */
    long pendingUntilNs;
    /** A plugin let the player in although the limit was reached. */
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
