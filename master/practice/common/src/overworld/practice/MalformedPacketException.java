package overworld.practice;

/** Thrown if a client sends something that violates the protocol. Only that client's connection is closed. */
public final class MalformedPacketException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, without quoting received data
     */
    public MalformedPacketException(String message) {
        super(message);
    }
}
