package overworld.plugin.core.link;

/**
 * Sends messages to the master over one connection. Never blocks. After the connection is lost, messages are
 * dropped.
 */
public interface Sender {
    void send(Message message);
}
