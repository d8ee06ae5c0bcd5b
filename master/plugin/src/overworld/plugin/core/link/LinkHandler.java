package overworld.plugin.core.link;

import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/** Callbacks of the link, all on the link's own thread. */
public interface LinkHandler {
    /** Adds the remaining fields to the first message, which already contains version, service and token. */
    Message introduce(Message hello);

    /** Called when the master has accepted the connection. Messages may be sent from now on. */
    void linked(Sender sender);

    /**
     * Called when a message has arrived.
     *
     * @throws JsonException if the message is invalid; the link then reconnects
     */
    void received(String type, Fields message) throws JsonException;

    /**
     * Called when the master, identified by its certificate, reports that this service does not belong to the
     * master's network.
     */
    void disowned();

    /** Called when the connection is closed, once after each {@link #linked}. */
    void unlinked();
}
