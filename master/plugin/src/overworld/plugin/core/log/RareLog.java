package overworld.plugin.core.log;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.logging.Level;

/**
 * A rate-limited log. Messages about the same kind of problem are written at most once a minute, with the number of
 * omitted ones. The kinds are constants in the program, so this class stores only a few.
 */
public final class RareLog {
    private static final long PAUSE_NS = 60_000_000_000L;

    private final BiConsumer<Level, String> out;
    private final Map<String, Said> said = new HashMap<>();

    public RareLog(BiConsumer<Level, String> out) {
        this.out = out;
    }

    /** Writes a message without a rate limit. */
    public void info(String message) {
        write(Level.INFO, message);
    }

    /**
     * Logs, at level INFO, a problem that resolves itself.
     *
     * @param name kind of the problem, for the rate limit
     */
    public void note(String name, String message) {
        rarely(Level.INFO, name, message);
    }

    /**
     * Logs a problem as a warning.
     *
     * @param name kind of the problem, for the rate limit
     */
    public void warn(String name, String message) {
        rarely(Level.WARNING, name, message);
    }

    /** Logs an exception of Overworld or of another plugin that was caught. */
    public void failure(String where, Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        String place = stack.length == 0 ? "" : " (" + stack[0] + ")";
        rarely(Level.WARNING, where, where + " failed: " + failure + place);
    }

    private void rarely(Level level, String name, String message) {
        String more;
        synchronized (said) {
            Said last = said.computeIfAbsent(name, any -> new Said());
            long now = System.nanoTime();
            if (last.written && now - last.atNs < PAUSE_NS) {
                last.leftOut++;
                return;
            }
            more = last.leftOut == 0 ? "" : " (and " + last.leftOut + " earlier failures)";
            last.written = true;
            last.atNs = now;
            last.leftOut = 0;
        }
        write(level, message + more);
    }

    private void write(Level level, String message) {
        try {
            out.accept(level, message);
        } catch (RuntimeException e) {
            // Ignored: a failing log must not break anything else, and there is no other place to report it.
        }
    }

    private static final class Said {
        boolean written;
        long atNs;
        long leftOut;
    }
}
