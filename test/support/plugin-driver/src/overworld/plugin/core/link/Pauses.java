package overworld.plugin.core.link;

import java.util.ArrayList;
import java.util.List;

/** The link's pauses between attempts alone. */
public final class Pauses {
    private Pauses() {}

    /** Returns ten pauses, the last one after a successful attempt (ms). */
    public static List<Long> ten() {
        Backoff backoff = new Backoff();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            pauses.add(backoff.nextMs());
        }
        backoff.reset();
        pauses.add(backoff.nextMs());
        return pauses;
    }
}
