package overworld.practice.proxy.packets;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;

/**
 * Packets of Minecraft 1.20.2 and later. A server configures the client before the game. A client that moves to
 * another server enters this configuration phase again. In this phase, packets have other ids than in the game. The
 * two directions of a connection change their phases separately, each with its own packets.
 *
 * <p>When a player is moved, the client still sends packets that are meant for the old server. The proxy therefore
 * sends the client a packet that the client must answer, and passes packets to the new server only after the answer.
 * Before the answer, the proxy sends the client nothing more, because the client may still be in the previous phase.
 */
final class ConfiguredPackets extends KnownPackets {
    private static final int LOGIN_ACKNOWLEDGED = 0x03;
    private static final int MAX_CHANNEL_CHARS = 32_767;
    /** Maximum sizes of packets that are kept for the next server (bytes). Larger ones reach only the current server. */
    private static final int MAX_SETTINGS_BYTES = 256;
    private static final int MAX_BRAND_BYTES = 32_767;
    private static final String BRAND_CHANNEL = "minecraft:brand";

    private enum Phase { LOGIN, CONFIGURATION, GAME }

    /** Phase of the next packet to the client. */
    private Phase toClient = Phase.CONFIGURATION;
    /** Phase of the next packet from the client. */
    private Phase fromClient = Phase.LOGIN;
    /**
     * Whether the current server has begun to configure the client. Another server cannot restart a configuration
     * that has begun.
     */
    private boolean isBeingConfigured;
    /** The client's last packet for its previous server; null if the client's packets are for the current one. */
    private ByteBuffer lastForPrevious;
    /**
     * Packets that a client sends only to its first server, but that later servers also need; null until the client
     * has sent them.
     */
    private byte[] settings;
    private byte[] brand;

    ConfiguredPackets(int protocol, PlayIds ids, Consumer<ByteBuffer> client) {
        super(protocol, ids, client);
    }

    @Override
    protected int disconnectId() {
        return toClient == Phase.GAME ? ids.disconnect : ids.configuration.disconnect;
    }

    @Override
    protected boolean sendsCommands() {
        return fromClient == Phase.GAME && lastForPrevious == null;
    }

    @Override
    public boolean isReadyToMove() {
        return !isBeingConfigured;
    }

    @Override
    public boolean movesAtLogin() {
        return true;
    }

    @Override
    public Kind kindFromServer(ByteBuffer packet) throws MalformedPacketException {
        int id = idOf(packet);
        if (isBeforeAcknowledgement()) {
            return id == ids.configuration.disconnect ? Kind.KICK : Kind.EARLY;
        }
        if (id == disconnectId()) {
            return Kind.KICK;
        }
        if (toClient == Phase.CONFIGURATION) {
            return id == ids.configuration.finish ? Kind.FINISH_CONFIGURATION : Kind.OTHER;
        }
        if (id == ids.joinGame) {
            return Kind.JOIN_GAME;
        }
        return id == ids.startConfiguration ? Kind.START_CONFIGURATION : Kind.OTHER;
    }

    /**
     * Returns whether the current server has not received the acknowledgement of the login yet. Such a server may
     * only disconnect the player. Some servers disconnect with a packet of the login phase, which the client no
     * longer understands.
     */
    private boolean isBeforeAcknowledgement() {
        return fromClient == Phase.LOGIN || lastForPrevious != null;
    }

    @Override
    public void passToClient(Kind kind, ByteBuffer packet) {
        if (kind == Kind.EARLY) {
            return;
        }
        client.accept(packet);
        if (kind == Kind.START_CONFIGURATION) {
            toClient = Phase.CONFIGURATION;
            inWorld = false;
        } else if (kind == Kind.FINISH_CONFIGURATION) {
            toClient = Phase.GAME;
            isBeingConfigured = false;
        } else if (kind == Kind.JOIN_GAME) {
            inWorld = true;
            showWaitingLines();
        } else if (toClient == Phase.CONFIGURATION) {
            isBeingConfigured = true;
        }
    }

    @Override
    public void leftServer() {
        // The client stays in its phase until it is moved.
    }

    @Override
    public void switchWorld(ByteBuffer loginSuccess) {
        inWorld = false;
        if (lastForPrevious == null) {
            lastForPrevious = requestAnswer().toPacket();
        }
    }

    /**
     * Returns the client's last packet for its current server. All later packets of the client are for the next
     * server. If the client still has to answer an earlier packet, this answer is the last packet, and the proxy may
     * send the client nothing before it. Otherwise, the proxy asks the client for an answer.
     */
    private PacketWriter requestAnswer() {
        if (fromClient == Phase.LOGIN) {
            return new PacketWriter(LOGIN_ACKNOWLEDGED);
        }
        if (fromClient == Phase.CONFIGURATION && toClient == Phase.GAME) {
            return new PacketWriter(ids.configuration.finish);
        }
        if (fromClient == Phase.CONFIGURATION) {
            PacketWriter keepAlive = new PacketWriter(ids.configuration.keepAlive).writeLong(System.nanoTime());
            client.accept(keepAlive.toPacket());
            return keepAlive;
        }
        if (toClient == Phase.GAME) {
            client.accept(new PacketWriter(ids.startConfiguration).toPacket());
            toClient = Phase.CONFIGURATION;
        }
        return new PacketWriter(ids.configurationAcknowledged);
    }

    @Override
    public List<ByteBuffer> forServer(ByteBuffer packet) throws MalformedPacketException {
        int id = idOf(packet);
        remember(id, packet);
        followPhase(id);
        if (lastForPrevious == null) {
            return Collections.singletonList(packet);
        }
        if (!packet.equals(lastForPrevious)) {
            return Collections.emptyList();
        }
        if (toClient == Phase.GAME) {
            lastForPrevious = requestAnswer().toPacket();
            return Collections.emptyList();
        }
        lastForPrevious = null;
        return firstForServer();
    }

    private void followPhase(int id) {
        if (fromClient == Phase.LOGIN && id == LOGIN_ACKNOWLEDGED
                || fromClient == Phase.GAME && id == ids.configurationAcknowledged) {
            fromClient = Phase.CONFIGURATION;
        } else if (fromClient == Phase.CONFIGURATION && id == ids.configuration.finish) {
            fromClient = Phase.GAME;
        }
    }

    private void remember(int id, ByteBuffer packet) throws MalformedPacketException {
        PacketReader body = new PacketReader(packet.duplicate());
        body.readVarInt();
        int size = packet.remaining();
        if (fromClient == Phase.GAME && id == ids.settingsFromClient && size <= MAX_SETTINGS_BYTES) {
            settings = new PacketWriter(ids.configuration.settingsFromClient).writeBytes(bodyOf(packet)).toBytes();
        } else if (fromClient == Phase.CONFIGURATION && id == ids.configuration.settingsFromClient
                && size <= MAX_SETTINGS_BYTES) {
            settings = bytesOf(packet);
        } else if (fromClient == Phase.CONFIGURATION && id == ids.configuration.pluginMessageFromClient
                && size <= MAX_BRAND_BYTES && body.readString(MAX_CHANNEL_CHARS).equals(BRAND_CHANNEL)) {
            brand = bytesOf(packet);
        }
    }

    /** Returns the first packets for a new server from a client that was on another server before. */
    private List<ByteBuffer> firstForServer() {
        List<ByteBuffer> packets = new ArrayList<>();
        packets.add(new PacketWriter(LOGIN_ACKNOWLEDGED).toPacket());
        for (byte[] packet : new byte[][] {brand, settings}) {
            if (packet != null) {
                packets.add(ByteBuffer.wrap(packet));
            }
        }
        return packets;
    }
}
