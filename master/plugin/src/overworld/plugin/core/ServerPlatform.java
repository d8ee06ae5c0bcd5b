package overworld.plugin.core;

import java.nio.file.Path;
import java.util.logging.Level;

/** A game server, as far as the core needs it. Called from threads of the core. */
public interface ServerPlatform {
    /** As the link calls it: {@code bukkit}. */
    String kind();

    /** The server's own name and version, as {@code Paper 1.21.4}. */
    String software();

    /** The service's folder: where the hand-over file lies. */
    Path folder();

    void log(Level level, String message);
}
