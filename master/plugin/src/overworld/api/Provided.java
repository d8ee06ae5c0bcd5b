package overworld.api;

import java.util.concurrent.atomic.AtomicReference;

/** Stores the object that {@link Overworld#get} returns. For Overworld's own plugin only. */
public final class Provided {
    private static final AtomicReference<Overworld> CURRENT = new AtomicReference<>();

    private Provided() {}

    static Overworld get() {
        return CURRENT.get();
    }

    public static void set(Overworld overworld) {
        CURRENT.set(overworld);
    }

    /** Removes the stored object, unless another object has replaced it. */
    public static void clear(Overworld overworld) {
        CURRENT.compareAndSet(overworld, null);
    }
}
