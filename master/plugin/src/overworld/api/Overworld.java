package overworld.api;

import java.util.Collection;
import java.util.Optional;

/**
 * Overworld's API for other plugins. It is the same on BungeeCord, Velocity and Bukkit. All methods may be called
 * from any thread. They return immediately, with the data that this process last received from the master.
 */
public interface Overworld {
    /**
     * Returns the API, or nothing if it is not available. Never fails.
     *
     * @return the API; empty before Overworld's plugin is enabled, after it is disabled, and on a server that
     *   Overworld did not start
     */
    static Optional<Overworld> find() {
        return Optional.ofNullable(Provided.get());
    }

    /**
     * Returns the API.
     *
     * @throws IllegalStateException if {@link #find} is empty; declare Overworld as a dependency of your plugin
     */
    static Overworld get() {
        return find().orElseThrow(() -> new IllegalStateException(
                "Overworld is not enabled yet. Declare Overworld as a dependency of your plugin, and call this method once it is enabled."));
    }

    /** Returns the id of the service that this process is, such as {@code lobby-3}. */
    String ownService();

    /**
     * Returns all game servers of the network, sorted by template and number. Empty until the master has been
     * reached.
     */
    Collection<Service> services();

    /** Returns the number of players on the whole network; 0 until the master has been reached. */
    int online();

    /** Returns the player limit of the whole network; 0 until the master has been reached. */
    int limit();

    /**
     * Declares whether this service is in use although it may be empty, for example while a match is being set up.
     * While the service is in use, the master does not stop it to save resources. The declaration stays valid while
     * the master is unreachable, and ends when this process exits.
     *
     * @param why a few words for the admin; text after 256 characters is cut off
     */
    void setInUse(boolean inUse, String why);
}
