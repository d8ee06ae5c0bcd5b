package overworld.plugin.core.link;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Computes the wait before the next connection attempt: 0.25 s, doubled after each failure up to 10 s. The actual
 * wait is a random time between half of this value and the whole value. So the plugins of a network do not all
 * reconnect at the same moment.
 */
final class Backoff {
    private static final long FIRST_MS = 250;
    private static final long LONGEST_MS = 10_000;

    private long nextMs = FIRST_MS;

    long nextMs() {
        long now = nextMs;
        nextMs = Math.min(LONGEST_MS, 2 * now);
        return ThreadLocalRandom.current().nextLong(now / 2, now + 1);
    }

    void reset() {
        nextMs = FIRST_MS;
    }
}
