package overworld.driver;

/** How many players are on all proxies of this driver, and how many were at most at any one instant. */
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

    /** Since the last call of this. */
    static synchronized int mostAtOnce() {
        int result = most;
        most = now;
        return result;
    }
}
