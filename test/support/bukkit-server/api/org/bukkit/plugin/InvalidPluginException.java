package org.bukkit.plugin;

public class InvalidPluginException extends Exception {
    private static final long serialVersionUID = 1;

    public InvalidPluginException(Throwable cause) {
        super(cause);
    }

    public InvalidPluginException(String message, Throwable cause) {
        super(message, cause);
    }
}
