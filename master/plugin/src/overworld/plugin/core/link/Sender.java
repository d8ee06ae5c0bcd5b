package overworld.plugin.core.link;

/** Sends messages to the master during one connection. Never blocks. Without a connection messages are dropped. */
public interface Sender {
    void send(Message message);
}
