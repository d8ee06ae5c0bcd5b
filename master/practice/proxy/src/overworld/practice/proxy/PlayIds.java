package overworld.practice.proxy;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Ids of the few packets that a proxy must recognize while a player plays. From protocol 764 (1.20.2) on, moving
 * players requires a configuration phase, which this proxy does not support, so these versions have no entry.
 */
final class PlayIds {
    /**
     * First protocol version (1.19) in which a player's commands are separate packets, and in which chat lines from
     * the server have another packet than before.
     */
    static final int WITH_COMMAND_PACKETS = 759;
    private static final int LAST = 763;

    private static final TreeMap<Integer, PlayIds> SINCE = new TreeMap<>();

    static {
        // The sequence of the ids is: joinGame, respawn, disconnect, keepAlive and chat to the client; keepAlive and
        // chat or command from the client.
        SINCE.put(47, new PlayIds(0x01, 0x07, 0x40, 0x00, 0x02, 0x00, 0x01));
        SINCE.put(107, new PlayIds(0x23, 0x33, 0x1a, 0x1f, 0x0f, 0x0b, 0x02));
        SINCE.put(335, new PlayIds(0x23, 0x34, 0x1a, 0x1f, 0x0f, 0x0c, 0x03));
        SINCE.put(338, new PlayIds(0x23, 0x35, 0x1a, 0x1f, 0x0f, 0x0b, 0x02));
        SINCE.put(393, new PlayIds(0x25, 0x38, 0x1b, 0x21, 0x0e, 0x0e, 0x02));
        SINCE.put(477, new PlayIds(0x25, 0x3a, 0x1a, 0x20, 0x0e, 0x0f, 0x03));
        SINCE.put(573, new PlayIds(0x26, 0x3b, 0x1b, 0x21, 0x0f, 0x0f, 0x03));
        SINCE.put(735, new PlayIds(0x25, 0x3a, 0x1a, 0x20, 0x0e, 0x10, 0x03));
        SINCE.put(751, new PlayIds(0x24, 0x39, 0x19, 0x1f, 0x0e, 0x10, 0x03));
        SINCE.put(755, new PlayIds(0x26, 0x3d, 0x1a, 0x21, 0x0f, 0x0f, 0x03));
        SINCE.put(759, new PlayIds(0x23, 0x3b, 0x17, 0x1e, 0x5f, 0x11, 0x03));
        SINCE.put(760, new PlayIds(0x25, 0x3e, 0x19, 0x20, 0x62, 0x12, 0x04));
        SINCE.put(761, new PlayIds(0x24, 0x3d, 0x17, 0x1f, 0x60, 0x11, 0x04));
        SINCE.put(762, new PlayIds(0x28, 0x41, 0x1a, 0x23, 0x64, 0x12, 0x04));
    }

    final int joinGame;
    final int respawn;
    final int disconnect;
    final int keepAlive;
    final int chat;
    final int keepAliveFromClient;
    /** Packet with text that a player has typed: up to 1.18 every text, from 1.19 on only commands. */
    final int commandFromClient;

    private PlayIds(int joinGame, int respawn, int disconnect, int keepAlive, int chat, int keepAliveFromClient,
            int commandFromClient) {
        this.joinGame = joinGame;
        this.respawn = respawn;
        this.disconnect = disconnect;
        this.keepAlive = keepAlive;
        this.chat = chat;
        this.keepAliveFromClient = keepAliveFromClient;
        this.commandFromClient = commandFromClient;
    }

    /** Returns the ids of a protocol version. Empty if this proxy cannot move players of that version. */
    static Optional<PlayIds> of(int protocol) {
        if (protocol > LAST) {
            return Optional.empty();
        }
        Map.Entry<Integer, PlayIds> entry = SINCE.floorEntry(protocol);
        return Optional.ofNullable(entry).map(Map.Entry::getValue);
    }
}
