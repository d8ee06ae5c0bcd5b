package overworld.practice;

/** Thrown if the program cannot start. It then exits with code 1. The message is a sentence for the admin. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }
}
