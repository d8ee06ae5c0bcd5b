package overworld.plugin.core.link;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: 0.25 s, twice as long after each failure, at most 10 s; of that a random
 * part from a half on, so that all plugins of a network do not come back in the same instant.
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
