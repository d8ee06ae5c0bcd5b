package overworld.plugin.core.platform;

import java.util.Objects;

/** Whether a player may do something, and the message to the player if not. */
public final class Verdict {
    private static final Verdict ALLOWED = new Verdict(true, "");

    private final boolean allowed;
    private final String message;

    private Verdict(boolean allowed, String message) {
        this.allowed = allowed;
        this.message = message;
    }

    public static Verdict allow() {
        return ALLOWED;
    }

    public static Verdict refuse(String message) {
        return new Verdict(false, Objects.requireNonNull(message));
    }

    public boolean allowed() {
        return allowed;
    }

    /** Returns the message; empty if allowed. May contain section-sign colour codes and line breaks. */
    public String message() {
        return message;
    }
}
