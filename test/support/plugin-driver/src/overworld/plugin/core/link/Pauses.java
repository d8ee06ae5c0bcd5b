package overworld.plugin.core.link;

import java.util.ArrayList;
import java.util.List;

/** Gives tests access to the plugin's pauses between connection attempts. */
public final class Pauses {
    private Pauses() {}

    /** Returns ten successive pauses (ms). Before the last pause, a connection attempt succeeds. */
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
