package overworld.plugin.core.link;

/** The master does not take this plugin. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** It may take it later, without anything being changed here. */
    final boolean again;
    /** It says that this service is none of its network. */
    final boolean disowned;

    RefusedException(String why, String message) {
        super(message);
        again = why.equals("busy") || why.equals("starting");
        disowned = why.equals("token");
    }
}
