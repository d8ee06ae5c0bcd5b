package overworld.practice.proxy.packets;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;

/**
 * Packets of Minecraft up to 1.20.1. Clients of these versions go from one world to another without a phase in
 * between.
 */
final class DirectPackets extends KnownPackets {
    /** Protocol version (1.9.1) from which the dimension in JoinGame has 4 bytes. */
    private static final int WIDE_DIMENSION = 108;
    /** Protocol version (1.14) from which JoinGame and Respawn have other fields than before. */
    private static final int OTHER_SHAPE = 477;

    /** The current server's last keep-alive that the client has not answered yet, without its id; null for none. */
    private byte[] keepAlive;

    DirectPackets(int protocol, PlayIds ids, Consumer<ByteBuffer> client) {
        super(protocol, ids, client);
    }

    @Override
    protected int disconnectId() {
        return ids.disconnect;
    }

    @Override
    protected boolean sendsCommands() {
        return true;
    }

    @Override
    public boolean isReadyToMove() {
        return true;
    }

    @Override
    public boolean movesAtLogin() {
        return false;
    }

    @Override
    public Kind kindFromServer(ByteBuffer packet) throws MalformedPacketException {
        int id = idOf(packet);
        if (id == ids.disconnect) {
            return Kind.KICK;
        }
        if (id == ids.joinGame) {
            return Kind.JOIN_GAME;
        }
        return id == ids.keepAlive ? Kind.KEEP_ALIVE : Kind.OTHER;
    }

    @Override
    public void passToClient(Kind kind, ByteBuffer packet) throws MalformedPacketException {
        if (kind == Kind.KEEP_ALIVE) {
            keepAlive = bodyOf(packet);
        }
        client.accept(packet);
        if (kind == Kind.JOIN_GAME) {
            inWorld = true;
            showWaitingLines();
        }
    }

    /** Records that the player is on no server. No keep-alive is pending then. */
    @Override
    public void leftServer() {
        keepAlive = null;
    }

    @Override
    public void switchWorld(ByteBuffer joinGame) throws MalformedPacketException {
        keepAlive = null;
        if (inWorld && protocol < OTHER_SHAPE) {
            sendByDetour(joinGame);
        } else {
            client.accept(joinGame);
        }
        inWorld = true;
        showWaitingLines();
    }

    /**
     * Sends the client through another dimension first, because a client discards its world only when the dimension
     * changes.
     */
    private void sendByDetour(ByteBuffer joinGame) throws MalformedPacketException {
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
        client.accept(first.writeByte(difficulty).writeByte(maxPlayers).writeString(world).writeByte(body.readByte())
                .toPacket());
        client.accept(new PacketWriter(ids.respawn).writeInt(dimension).writeByte(difficulty).writeByte(gameMode)
                .writeString(world).toPacket());
    }

    /** Returns the packet, except an answer to a keep-alive of the previous server. */
    @Override
    public List<ByteBuffer> forServer(ByteBuffer packet) throws MalformedPacketException {
        if (packet.remaining() > MAX_READ_BYTES || idOf(packet) != ids.keepAliveFromClient) {
            return Collections.singletonList(packet);
        }
        if (keepAlive == null || !Arrays.equals(keepAlive, bodyOf(packet))) {
            return Collections.emptyList();
        }
        keepAlive = null;
        return Collections.singletonList(packet);
    }
}
