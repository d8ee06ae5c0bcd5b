package overworld.driver;

/** Counts the players on all proxies of this driver, and records the highest number at one moment. */
final class Crowd {
    private static int now;
    private static int most;

    private Crowd() {}

    static synchronized void grow() {
        now++;
        most = Math.max(most, now);
    }

    static synchronized void shrink() {
        now--;
    }

    /** Returns the highest number of players at one moment since the last call of this method. */
    static synchronized int mostAtOnce() {
        int result = most;
        most = now;
        return result;
    }
}
