package overworld.api;

import java.util.Collection;
import java.util.Optional;

/**
 * Overworld's API for other plugins. It is the same on BungeeCord, Velocity and Bukkit. All methods may be called
 * from any thread and return immediately with locally known data.
 */
public interface Overworld {
    /**
     * Returns the API without failing.
     *
     * @return Overworld in this process; empty before its plugin is enabled, after it is disabled, and on a server
     *   that Overworld did not start
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
                "Overworld is not (yet) enabled here. Let your plugin depend on Overworld, and ask once it is enabled."));
    }

    /** Returns the id of the service that this plugin runs in, such as {@code lobby-3}. */
    String ownService();

    /** Returns all game servers of the network, ordered by template and number. Empty until the master was reached. */
    Collection<Service> services();

    /** Returns the number of players on the whole network; 0 until the master was reached. */
    int online();

    /** Returns the player limit of the whole network; 0 until the master was reached. */
    int limit();

    /**
     * Declares that this service is in use although it may be empty (a match is being set up), or no longer in use.
     * While it is in use, the master does not stop it to save resources. Stays valid while the master is
     * unreachable, and ends with this process.
     *
     * @param why a few words for the admin, at most 256 characters
     */
    void setInUse(boolean inUse, String why);
}
