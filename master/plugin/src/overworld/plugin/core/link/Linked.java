package overworld.plugin.core.link;


/**
 * A part of the core that reports to the master. It stores the object that sends messages while there is a
 * connection.
 */
public abstract class Linked {
    private Sender sender;

    /** Reports the complete current state on a new connection. Called while this part's lock is held. */
    protected abstract void introduce();

    /** Called when the connection is lost, while this part's lock is held. */
    protected void forget() {}

    final synchronized void linked(Sender to) {
        sender = to;
        introduce();
    }

    final synchronized void unlinked() {
        sender = null;
        forget();
    }

    /**
     * Sends a message; does nothing without a connection. Must be called while this part's lock is held, so that the
     * master receives messages in the sequence of the events.
     */
    protected final void tell(Message message) {
        if (sender != null) {
            sender.send(message);
        }
    }

    protected final boolean isLinked() {
        return sender != null;
    }
}
