package overworld.plugin.core.platform;

import java.nio.file.Path;
import java.util.logging.Level;

/** What the core needs from a game server. Called from threads of the core. */
public interface ServerPlatform {
    /** Returns the platform's name on the link: {@code bukkit}. */
    String kind();

    /** Returns name and version of the server software, such as {@code Paper 1.21.4}. */
    String software();

    /** Returns the service's folder, which contains the hand-over file. */
    Path folder();

    void log(Level level, String message);
}
