package overworld.practice;

/** What a client sent does not follow the protocol. Ends that client's connection and nothing else. */
public final class MalformedPacketException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message the problem, without quoting received data */
    public MalformedPacketException(String message) {
        super(message);
    }
}
