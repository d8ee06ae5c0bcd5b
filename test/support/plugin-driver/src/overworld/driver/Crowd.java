package overworld.driver;

/** Number of players on all proxies of this driver, and its highest value at one moment. */
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

    /** Returns the highest value since the last call. */
    static synchronized int mostAtOnce() {
        int result = most;
        most = now;
        return result;
    }
}
