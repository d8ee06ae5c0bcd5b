package overworld.plugin.core.link;

import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/** What the link tells its user, all from the link's own thread. */
public interface LinkHandler {
    /** Completes the first message; what it says beside service and token. */
    Message introduce(Message hello);

    /** The master has welcomed us; messages may be sent from now on. */
    void linked(Sender sender);

    /**
     * A message has come.
     *
     * @throws JsonException when it is not as it should be; the connection is given up then and made anew
     */
    void received(String type, Fields message) throws JsonException;

    /** The master, known by its certificate, says that this service is none of its network (any more). */
    void disowned();

    /** The connection is gone. Called once after each {@link #linked}. */
    void unlinked();
}
