package overworld.plugin.core;

import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Sender;

/** A part of the core that has something to tell the master; knows whom to tell, and that there is nobody. */
abstract class Linked {
    private Sender sender;

    /** A connection stands: tell all that the master must know. Called under this part's lock. */
    abstract void introduce();

    /** The connection is gone. Called under this part's lock. */
    void forget() {}

    final synchronized void linked(Sender to) {
        sender = to;
        introduce();
    }

    final synchronized void unlinked() {
        sender = null;
        forget();
    }

    /** Call under this part's lock, so that the master hears things in the order in which they happened. */
    final void tell(Message message) {
        if (sender != null) {
            sender.send(message);
        }
    }

    final boolean isLinked() {
        return sender != null;
    }
}
