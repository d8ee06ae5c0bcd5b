package overworld.practice.proxy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import overworld.practice.Json;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;

/**
 * Reads and builds the few packets that the proxy itself needs while one player plays; all others are passed on
 * unread. For protocol versions later than those in {@link PlayIds}, all packets are passed on. Players with such a
 * version can neither be moved nor get a reason when they are disconnected.
 */
final class PlayPackets {
    private static final int MAX_CHAT_CHARS = 256;
    private static final int MAX_COMPONENT_CHARS = 262_144;
    /** Maximum size of a client's packet that is read (bytes). Larger packets are neither commands nor keep-alives. */
    private static final int MAX_READ_BYTES = 3 * MAX_CHAT_CHARS + 8;
    /** Protocol version (1.9.1) from which the dimension in JoinGame has 4 bytes. */
    private static final int WIDE_DIMENSION = 108;
    /** Protocol version (1.16) from which chat lines contain their sender's id. */
    private static final int CHAT_WITH_SENDER = 735;
    /** Protocol version (1.14) from which JoinGame and Respawn have other fields. */
    private static final int OTHER_SHAPE = 477;
    private static final int SYSTEM_LINE = 1;

    enum Kind { OTHER, JOIN_GAME, KICK, KEEP_ALIVE }

    private final int protocol;
    private final PlayIds ids;
    private boolean inGame;
    /** Content of the current server's last keep-alive that the client has not answered yet; null if there is none. */
    private byte[] keepAlive;

    private PlayPackets(int protocol, PlayIds ids) {
        this.protocol = protocol;
        this.ids = ids;
    }

    /** Creates the packets for a client of this protocol version. */
    static PlayPackets of(int protocol) {
        return new PlayPackets(protocol, PlayIds.of(protocol).orElse(null));
    }

    boolean canMove() {
        return ids != null;
    }

    Kind kindFromServer(ByteBuffer packet) throws MalformedPacketException {
        if (ids == null) {
            return Kind.OTHER;
        }
        int id = new PacketReader(packet.duplicate()).readVarInt();
        if (id == ids.disconnect) {
            return Kind.KICK;
        }
        if (id == ids.joinGame) {
            return Kind.JOIN_GAME;
        }
        return id == ids.keepAlive ? Kind.KEEP_ALIVE : Kind.OTHER;
    }

    void passToClient(Kind kind, ByteBuffer packet, Client client) throws MalformedPacketException {
        if (kind == Kind.KEEP_ALIVE) {
            keepAlive = bodyOf(packet);
        }
        inGame |= kind == Kind.JOIN_GAME;
        client.send(packet);
    }

    /** Returns the reason in a server's packet that disconnects the player. */
    String reasonOf(ByteBuffer packet) throws MalformedPacketException {
        PacketReader body = new PacketReader(packet.duplicate());
        body.readVarInt();
        return Texts.plain(body.readString(MAX_COMPONENT_CHARS));
    }

    /** Records that the player is on no server. No keep-alive is pending then. */
    void leftServer() {
        keepAlive = null;
    }

    /** Moves the client from the world of its old server to the world of the new one. */
    void sendSwitch(ByteBuffer joinGame, Client client) throws MalformedPacketException {
        keepAlive = null;
        if (inGame && protocol < OTHER_SHAPE) {
            sendByDetour(joinGame, client);
        } else {
            client.send(joinGame);
        }
        inGame = true;
    }

    /**
     * Sends the client through another dimension first, because a client discards its world only when the dimension
     * changes.
     */
    private void sendByDetour(ByteBuffer joinGame, Client client) throws MalformedPacketException {
        PacketReader body = new PacketReader(joinGame);
        body.readVarInt();
        int entity = body.readInt();
        int gameMode = body.readByte();
        int dimension = protocol < WIDE_DIMENSION ? body.readByte() : body.readInt();
        int difficulty = body.readByte();
        int maxPlayers = body.readByte();
        String world = body.readString(MAX_CHAT_CHARS);
        int detour = dimension == 0 ? -1 : 0;
        PacketWriter first = new PacketWriter(ids.joinGame).writeInt(entity).writeByte(gameMode);
        if (protocol < WIDE_DIMENSION) {
            first.writeByte(detour);
        } else {
            first.writeInt(detour);
        }
        client.send(first.writeByte(difficulty).writeByte(maxPlayers).writeString(world).writeByte(body.readByte())
                .toPacket());
        client.send(new PacketWriter(ids.respawn).writeInt(dimension).writeByte(difficulty).writeByte(gameMode)
                .writeString(world).toPacket());
    }

    /** Returns the command in a client's packet, without its slash. Null if the packet is no command. */
    String commandIn(ByteBuffer packet) throws MalformedPacketException {
        if (ids == null || packet.remaining() > MAX_READ_BYTES) {
            return null;
        }
        PacketReader body = new PacketReader(packet.duplicate());
        if (body.readVarInt() != ids.commandFromClient) {
            return null;
        }
        String text = body.readString(MAX_CHAT_CHARS);
        if (protocol >= PlayIds.WITH_COMMAND_PACKETS) {
            return text;
        }
        return text.startsWith("/") ? text.substring(1) : null;
    }

    /**
     * Returns whether a client's packet is for the current server. An answer to a keep-alive of the previous server
     * is not.
     */
    boolean isForServer(ByteBuffer packet) throws MalformedPacketException {
        if (ids == null || packet.remaining() > MAX_READ_BYTES) {
            return true;
        }
        if (new PacketReader(packet.duplicate()).readVarInt() != ids.keepAliveFromClient) {
            return true;
        }
        boolean asked = keepAlive != null && Arrays.equals(keepAlive, bodyOf(packet));
        keepAlive = asked ? null : keepAlive;
        return asked;
    }

    private static byte[] bodyOf(ByteBuffer packet) throws MalformedPacketException {
        ByteBuffer rest = packet.duplicate();
        new PacketReader(rest).readVarInt();
        byte[] body = new byte[rest.remaining()];
        rest.get(body);
        return body;
    }

    void sendChat(String text, Client client) {
        if (ids == null) {
            return;
        }
        PacketWriter packet = new PacketWriter(ids.chat).writeString(Json.chat(text));
        if (protocol >= PlayIds.WITH_COMMAND_PACKETS) {
            // 1.19: kind of the line, 1 for the system's lines. Later: whether it is shown above the hotbar.
            packet.writeByte(protocol == PlayIds.WITH_COMMAND_PACKETS ? SYSTEM_LINE : 0);
        } else {
            packet.writeByte(SYSTEM_LINE);
            if (protocol >= CHAT_WITH_SENDER) {
                packet.writeLong(0).writeLong(0);
            }
        }
        client.send(packet.toPacket());
    }

    void sendKick(String why, Client client) {
        if (ids != null) {
            client.send(new PacketWriter(ids.disconnect).writeString(Json.chat(why)).toPacket());
        }
    }
}
