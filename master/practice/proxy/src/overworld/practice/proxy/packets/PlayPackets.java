package overworld.practice.proxy.packets;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import overworld.practice.MalformedPacketException;

/**
 * Reads and builds the few packets that the proxy itself needs while one player plays; all others are passed on
 * unread. The implementations contain what the versions of the protocol need.
 */
public interface PlayPackets {
    /** Newest Minecraft version whose players can be moved. */
    String NEWEST = PlayIds.NEWEST;

    enum Kind { OTHER, EARLY, JOIN_GAME, KICK, KEEP_ALIVE, START_CONFIGURATION, FINISH_CONFIGURATION }

    /**
     * Creates the packets for a client that has just logged in.
     *
     * @param client sends a packet to the client
     */
    static PlayPackets of(int protocol, Consumer<ByteBuffer> client) {
        Optional<PlayIds> ids = PlayIds.of(protocol);
        if (ids.isEmpty()) {
            return new UnreadPackets(client);
        }
        return ids.get().configuration == null ? new DirectPackets(protocol, ids.get(), client)
                : new ConfiguredPackets(protocol, ids.get(), client);
    }

    /** Returns whether players with this version can be moved to another server. */
    boolean canMove();

    /**
     * Returns whether the player can be moved now. If not, the player must enter the current server's world first.
     */
    boolean isReadyToMove();

    /**
     * Returns whether a moved player is on the new server as soon as this server accepts the login. If not, the
     * player is on the new server when it sends the packet {@code JOIN_GAME}.
     */
    boolean movesAtLogin();

    Kind kindFromServer(ByteBuffer packet) throws MalformedPacketException;

    /** Passes a packet of the current server on to the client. */
    void passToClient(Kind kind, ByteBuffer packet) throws MalformedPacketException;

    /** Returns the reason in a server's packet that disconnects the player. */
    String reasonOf(ByteBuffer packet) throws MalformedPacketException;

    /** Records that the player is on no server. */
    void leftServer();

    /**
     * Moves the client from the world of its old server to the world of the new server.
     *
     * @param accepted the packet with which the new server has accepted the player, see {@link #movesAtLogin}
     */
    void switchWorld(ByteBuffer accepted) throws MalformedPacketException;

    /** Returns the command in a client's packet, without its slash. Null if the packet is no command. */
    String commandIn(ByteBuffer packet) throws MalformedPacketException;

    /**
     * Returns what the current server gets when the client sends a packet: mostly the packet itself, but nothing if the
     * packet was meant for the previous server.
     */
    List<ByteBuffer> forServer(ByteBuffer packet) throws MalformedPacketException;

    /** Shows a line of chat to the player, as soon as the player is in a world. */
    void showLine(String text);

    /** Sends the client the reason why it is being disconnected. */
    void disconnect(String why);
}
