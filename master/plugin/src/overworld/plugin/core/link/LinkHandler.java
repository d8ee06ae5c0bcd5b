package overworld.plugin.core.link;

import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/** Callbacks of the link, all on the link's own thread. */
public interface LinkHandler {
    /** Adds everything but service and token to the first message. */
    Message introduce(Message hello);

    /** The master has sent its welcome; messages may be sent from now on. */
    void linked(Sender sender);

    /**
     * A message has arrived.
     *
     * @throws JsonException if it is invalid; the link then reconnects
     */
    void received(String type, Fields message) throws JsonException;

    /** The master, identified by its certificate, reports that this service does not belong to its network. */
    void disowned();

    /** The connection is closed. Called once after each {@link #linked}. */
    void unlinked();
}
