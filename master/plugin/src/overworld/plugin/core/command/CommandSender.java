package overworld.plugin.core.command;

import java.util.Optional;
import java.util.UUID;

/** The sender of a command: a player or the console. */
public interface CommandSender {
    String name();

    /** Returns the player; empty for the console. */
    Optional<UUID> player();

    boolean hasPermission(String permission);

    /**
     * Shows a line to the sender, immediately or after the master has responded. Does nothing if the player has
     * left.
     */
    void message(String text);
}
