package overworld.practice;

/** Code that runs inside the server, always on its thread. The practice server itself has none; a test may add one. */
interface Extension {
    /** Does nothing. */
    Extension NONE = new Extension() {};

    /** Called before the port opens. */
    default void start(PlayerList players, ServerLoop loop) throws StartException {}

    /** Called when the player is in the list. */
    default void joined(Play player) {}

    /** Called while the player is still in the list. */
    default void leaving(Play player) {}

    /** Called about once a second. */
    default void tick() {}

    /** @return whether it has run this line of the console */
    default boolean command(String line) {
        return false;
    }

    /** Called when the server stops, before its players leave. */
    default void stop() {}
}
