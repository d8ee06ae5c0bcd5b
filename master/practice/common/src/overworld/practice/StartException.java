package overworld.practice;

/** The server cannot start; the message is a sentence for the admin. Ends the program with exit code 1. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }
}
