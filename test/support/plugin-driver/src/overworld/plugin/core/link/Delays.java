package overworld.plugin.core.link;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.json.JsonException;

/** Gives tests access to the plugin's delays between connection attempts, on a clock that jumps. */
public final class Delays {
    private long nowNs;

    private Delays() {}

    /**
     * Returns the delays after these attempts (ms).
     *
     * @param attempts {@code rejected} (at once), {@code hung} (15 s without a welcome), {@code linked} (6 s from the
     *     welcome), {@code cut off} (15 s without a welcome, then 1 s), or {@code unreadable} (6 s from the welcome)
     */
    public static List<Long> after(List<String> attempts) throws JsonException {
        Delays clock = new Delays();
        Backoff backoff = new Backoff(() -> clock.nowNs);
        List<Long> delays = new ArrayList<>();
        for (String attempt : attempts) {
            clock.perform(attempt, backoff);
            delays.add(backoff.nextMs());
        }
        return delays;
    }

    private void perform(String attempt, Backoff backoff) throws JsonException {
        switch (attempt) {
            case "rejected":
                break;
            case "hung":
                pass(15);
                break;
            case "linked":
                backoff.welcomed();
                pass(6);
                break;
            case "cut off":
                pass(15);
                backoff.welcomed();
                pass(1);
                break;
            case "unreadable":
                backoff.welcomed();
                pass(6);
                backoff.unreadable();
                break;
            default:
                throw new JsonException("no such attempt: " + attempt);
        }
    }

    private void pass(long seconds) {
        nowNs += TimeUnit.SECONDS.toNanos(seconds);
    }
}
