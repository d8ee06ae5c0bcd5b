package overworld.plugin.core.link;

/** The master refuses this plugin. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether the master may accept it later without a change here. */
    final boolean again;
    /** Whether the master reports that this service does not belong to its network. */
    final boolean disowned;

    RefusedException(String why, String message) {
        super(message);
        again = why.equals("busy") || why.equals("starting");
        disowned = why.equals("token");
    }
}
