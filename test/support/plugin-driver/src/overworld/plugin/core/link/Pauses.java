package overworld.plugin.core.link;

import java.util.ArrayList;
import java.util.List;

/** How long the link waits between attempts, by itself. */
public final class Pauses {
    private Pauses() {}

    /** Ten pauses, the last one after an attempt that went well; ms. */
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
