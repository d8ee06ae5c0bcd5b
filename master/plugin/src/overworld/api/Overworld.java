package overworld.api;

import java.util.Collection;
import java.util.Optional;

/**
 * What other plugins may ask of Overworld, alike on BungeeCord, Velocity and Bukkit. All methods may be called from any
 * thread and answer at once, from what is known here.
 */
public interface Overworld {
    /**
     * @return Overworld in this process; empty before its plugin was enabled, after it was disabled, and on a server
     *     that was not started by Overworld
     */
    static Optional<Overworld> find() {
        return Optional.ofNullable(Provided.get());
    }

    /** @throws IllegalStateException when {@link #find} is empty; name Overworld as a dependency of your plugin */
    static Overworld get() {
        return find().orElseThrow(() -> new IllegalStateException(
                "Overworld is not (yet) enabled here. Let your plugin depend on Overworld, and ask once it is enabled."));
    }

    /** Id of the service that this plugin runs in, as {@code lobby-3}. */
    String ownService();

    /** All game servers that players can be sent to, by template and number. Empty until the master was reached. */
    Collection<Service> services();

    /** Players on the whole network; 0 until the master was reached. */
    int online();

    /** Most players on the whole network; 0 until the master was reached. */
    int limit();

    /**
     * Says that this service is in use although nobody may be on it (a match is being set up), or no longer. While it is
     * in use the master does not stop it to save resources. Kept while the master is away; ends with this process.
     *
     * @param why a few words for the admin, at most 256 letters
     */
    void setInUse(boolean inUse, String why);
}
