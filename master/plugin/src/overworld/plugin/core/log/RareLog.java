package overworld.plugin.core.log;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.logging.Level;

/**
 * A log that cannot be flooded: what is said under the same name is written at most once a minute, with how often it was
 * left out. Names are words of the program, never of others, so there are few.
 */
public final class RareLog {
    private static final long PAUSE_NS = 60_000_000_000L;

    private final BiConsumer<Level, String> out;
    private final Map<String, Said> said = new HashMap<>();

    public RareLog(BiConsumer<Level, String> out) {
        this.out = out;
    }

    /** Writes it whenever it is said. */
    public void info(String message) {
        write(Level.INFO, message);
    }

    /** Something that mends itself. @param name what kind of thing this is */
    public void note(String name, String message) {
        rarely(Level.INFO, name, message);
    }

    /** @param name what kind of trouble this is */
    public void warn(String name, String message) {
        rarely(Level.WARNING, name, message);
    }

    /** A mistake of ours or of another plugin, which was caught. */
    public void failure(String where, Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        String place = stack.length == 0 ? "" : " (" + stack[0] + ")";
        rarely(Level.WARNING, where, where + " failed, which was left at that: " + failure + place);
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
            more = last.leftOut == 0 ? "" : " (and " + last.leftOut + " times more before)";
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
            // A log that fails is no reason for anything else to fail, and there is no other place to say so.
        }
    }

    private static final class Said {
        boolean written;
        long atNs;
        long leftOut;
    }
}
