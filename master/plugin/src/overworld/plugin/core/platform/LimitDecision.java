package overworld.plugin.core.platform;

import java.util.Objects;

/** Decision about a player who wants to join although the global limit is reached, after all plugins were asked. */
public final class LimitDecision {
    private final boolean letIn;
    private final String message;

    private LimitDecision(boolean letIn, String message) {
        this.letIn = letIn;
        this.message = message;
    }

    /** Returns the decision to let the player join beyond the limit. */
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

    /** Returns the message for a refused player; empty if the player may join. */
    public String message() {
        return message;
    }
}
