package overworld.practice;

/**
 * Additional code in the server, always called on the server's thread. The practice server itself has none; a test
 * may add some.
 */
interface Extension {
    /** An extension that does nothing. */
    Extension NONE = new Extension() {};

    /** Called before the port is opened. */
    default void start(PlayerList players, ServerLoop loop) throws StartException {}

    /** Called when a player has been added to the list and has spawned. */
    default void joined(Play player) {}

    /** Called while the leaving player is still in the list. */
    default void leaving(Play player) {}

    /** Called about once a second. */
    default void tick() {}

    /**
     * Called with a line of the console.
     *
     * @return whether the extension has run it as a command
     */
    default boolean command(String line) {
        return false;
    }

    /** Called when the server stops, before its players are disconnected. */
    default void stop() {}
}
