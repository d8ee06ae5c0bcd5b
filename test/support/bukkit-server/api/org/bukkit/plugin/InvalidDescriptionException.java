package org.bukkit.plugin;

public class InvalidDescriptionException extends Exception {
    private static final long serialVersionUID = 1;

    public InvalidDescriptionException(Throwable cause, String message) {
        super(message, cause);
    }

    public InvalidDescriptionException(String message) {
        super(message);
    }
}
