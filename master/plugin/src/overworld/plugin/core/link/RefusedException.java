package overworld.plugin.core.link;

/** Thrown if the master refuses this plugin. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether the master is expected to accept the plugin soon, although nothing changes in this process. */
    final boolean again;
    /** Whether the master uses another version of the link. The master may be replaced while this process runs. */
    final boolean otherVersion;
    /** Whether the master reports that this service does not belong to the master's network. */
    final boolean disowned;

    RefusedException(String why, String message) {
        super(message);
        again = why.equals("busy") || why.equals("starting");
        otherVersion = why.equals("version");
        disowned = why.equals("token");
    }
}
