package overworld.plugin.core;

import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Sender;

/** A part of the core that reports to the master. It stores the current sender, if there is a connection. */
abstract class Linked {
    private Sender sender;

    /** Reports the full current state on a new connection. Called under this part's lock. */
    abstract void introduce();

    /** Handles the loss of the connection. Called under this part's lock. */
    void forget() {}

    final synchronized void linked(Sender to) {
        sender = to;
        introduce();
    }

    final synchronized void unlinked() {
        sender = null;
        forget();
    }

    /**
     * Sends a message. Call it under this part's lock, so that the master receives messages in the order of the
     * events.
     */
    final void tell(Message message) {
        if (sender != null) {
            sender.send(message);
        }
    }

    final boolean isLinked() {
        return sender != null;
    }
}
