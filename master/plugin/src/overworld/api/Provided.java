package overworld.api;

import java.util.concurrent.atomic.AtomicReference;

/** Holds what {@link Overworld#get} gives. For Overworld's own plugin only: other plugins have no use for it. */
public final class Provided {
    private static final AtomicReference<Overworld> CURRENT = new AtomicReference<>();

    private Provided() {}

    static Overworld get() {
        return CURRENT.get();
    }

    public static void set(Overworld overworld) {
        CURRENT.set(overworld);
    }

    /** Takes it away, unless another one was provided since. */
    public static void clear(Overworld overworld) {
        CURRENT.compareAndSet(overworld, null);
    }
}
