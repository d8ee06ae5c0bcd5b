package overworld.plugin.core;

import java.util.Objects;

/** What became of a player for whom the global limit was reached, after all plugins were asked. */
public final class LimitDecision {
    private final boolean letIn;
    private final String message;

    private LimitDecision(boolean letIn, String message) {
        this.letIn = letIn;
        this.message = message;
    }

    /** A plugin lets the player in beyond the limit. */
    public static LimitDecision letIn() {
        return new LimitDecision(true, "");
    }

    /** @param message what the player is told */
    public static LimitDecision refuse(String message) {
        return new LimitDecision(false, Objects.requireNonNull(message));
    }

    public boolean isLetIn() {
        return letIn;
    }

    /** Empty when let in. */
    public String message() {
        return message;
    }
}
