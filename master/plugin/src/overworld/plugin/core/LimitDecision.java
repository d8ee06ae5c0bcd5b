package overworld.plugin.core;

import java.util.Objects;

/** Decision about a player who reached the global limit, after all plugins were asked. */
public final class LimitDecision {
    private final boolean letIn;
    private final String message;

    private LimitDecision(boolean letIn, String message) {
        this.letIn = letIn;
        this.message = message;
    }

    /** Returns the decision to admit the player beyond the limit. */
    public static LimitDecision letIn() {
        return new LimitDecision(true, "");
    }

    /**
     * Returns the decision to refuse the player.
     *
     * @param message shown to the player
     */
    public static LimitDecision refuse(String message) {
        return new LimitDecision(false, Objects.requireNonNull(message));
    }

    public boolean isLetIn() {
        return letIn;
    }

    /** Returns the message; empty if admitted. */
    public String message() {
        return message;
    }
}
