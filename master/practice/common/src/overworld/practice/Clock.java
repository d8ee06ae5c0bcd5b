package overworld.practice;

import java.util.concurrent.TimeUnit;

/** Monotonic clock for deadlines. Its time never decreases, even if the machine's clock is set back. */
public final class Clock {
    private Clock() {}

    /** Returns the milliseconds since an arbitrary moment. */
    public static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
