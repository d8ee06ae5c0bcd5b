package overworld.plugin.core.link;

/**
 * Keeps a plugin within what the master takes (docs/adr/0022: 500 messages a second, 2,000 at once), with some room: a
 * bucket of 1,500 that fills by 400 a second.
 */
final class Pace {
    private static final double BURST = 1500;
    private static final double PER_NANO = 400 / 1e9;

    private double left = BURST;
    private long lastNs = System.nanoTime();

    /** Waits until one more message may go. */
    void await() throws InterruptedException {
        long now = System.nanoTime();
        left = Math.min(BURST, left + (now - lastNs) * PER_NANO);
        lastNs = now;
        left -= 1;
        if (left < 0) {
            Thread.sleep((long) Math.ceil(-left / PER_NANO / 1e6));
        }
    }
}
