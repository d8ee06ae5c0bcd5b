package overworld.plugin.core.link;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Computes the wait before the next connection attempt: 0.25 s, doubled after each failure up to 10 s. The actual
 * wait is a random time between half of this value and the whole value. So the plugins of a network do not all
 * reconnect at the same moment.
 *
 * <p>If a successful connection is lost, the wait begins at 0.25 s again. A connection is successful if it lasts for
 * some seconds after the master's welcome. The time before the welcome does not count, because a master that hangs
 * keeps connections open, too.
 */
final class Backoff {
    private static final long FIRST_MS = 250;
    private static final long LONGEST_MS = 10_000;
    /** Duration after the welcome from which a connection counts as successful (ns). */
    private static final long GOOD_NS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier clockNs;
    private long nextMs = FIRST_MS;
    private boolean welcomed;
    private long welcomedNs;

    Backoff(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    /** Records that the master has accepted the current connection. */
    void welcomed() {
        welcomed = true;
        welcomedNs = clockNs.getAsLong();
    }

    /**
     * Records that the current connection was closed because of a message that this plugin cannot read. It is not
     * successful, however long it lasted, because a new connection would fail in the same way.
     */
    void unreadable() {
        welcomed = false;
    }

    /** Returns the wait after the end of the current connection or connection attempt (ms). */
    long nextMs() {
        if (welcomed && clockNs.getAsLong() - welcomedNs > GOOD_NS) {
            reset();
        }
        welcomed = false;
        long now = nextMs;
        nextMs = Math.min(LONGEST_MS, 2 * now);
        return randomUpTo(now);
    }

    /** Returns a random time between half of a time and the whole time (ms). */
    static long randomUpTo(long ms) {
        return ThreadLocalRandom.current().nextLong(ms / 2, ms + 1);
    }

    void reset() {
        nextMs = FIRST_MS;
    }
}
