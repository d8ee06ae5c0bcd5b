package overworld.plugin.core;

import java.util.Optional;
import java.util.UUID;

/** Who typed a command: a player or the console. */
public interface CommandSender {
    String name();

    /** Empty for the console. */
    Optional<UUID> player();

    boolean hasPermission(String permission);

    /** Shows a line. Called at once or later, when the master has answered; does nothing if the player has gone. */
    void message(String text);
}
