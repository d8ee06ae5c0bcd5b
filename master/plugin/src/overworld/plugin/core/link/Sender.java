package overworld.plugin.core.link;

/** Takes messages to the master while one connection lasts; never waits. Without a connection they are lost. */
public interface Sender {
    void send(Message message);
}
