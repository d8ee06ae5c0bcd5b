package overworld.practice.protocol;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;
import overworld.practice.Text;

/** Packets of Minecraft 1.8.x and 1.12.2. Both versions have the same fields, but some fields differ in size. */
final class LegacyPackets implements GamePackets {
    private static final int LOGIN_SUCCESS = 0x02;
    private static final int MAX_CHAT_CHARS = 256;
    private static final int CREATIVE = 1;
    private static final int OVERWORLD = 0;
    private static final int PEACEFUL = 0;
    private static final int INVULNERABLE_FLYING = 0x01 | 0x02 | 0x04;
    private static final int SPAWN_Y = 64;

    static final LegacyPackets V1_8 =
            new LegacyPackets(false, new Ids(0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x39, 0x40, 0x00, 0x01));
    static final LegacyPackets V1_12_2 =
            new LegacyPackets(true, new Ids(0x1f, 0x23, 0x0f, 0x46, 0x41, 0x2f, 0x2c, 0x1a, 0x0b, 0x02));

    /** Ids of the packets during the game. The packets go to the client, except where the name says otherwise. */
    private static final class Ids {
        final int keepAlive;
        final int joinGame;
        final int chat;
        final int spawnPosition;
        final int health;
        final int position;
        final int abilities;
        final int disconnect;
        final int keepAliveFromClient;
        final int chatFromClient;

        Ids(int keepAlive, int joinGame, int chat, int spawnPosition, int health, int position, int abilities,
                int disconnect, int keepAliveFromClient, int chatFromClient) {
            this.keepAlive = keepAlive;
            this.joinGame = joinGame;
            this.chat = chat;
            this.spawnPosition = spawnPosition;
            this.health = health;
            this.position = position;
            this.abilities = abilities;
            this.disconnect = disconnect;
            this.keepAliveFromClient = keepAliveFromClient;
            this.chatFromClient = chatFromClient;
        }
    }

    /** Whether dimension and keep-alive have more bytes than in 1.8, and whether a client confirms its position. */
    private final boolean wide;
    private final Ids ids;

    private LegacyPackets(boolean wide, Ids ids) {
        this.wide = wide;
        this.ids = ids;
    }

    @Override
    public boolean hasConfiguration() {
        return false;
    }

    @Override
    public PacketWriter loginSuccess(UUID id, String name) {
        return new PacketWriter(LOGIN_SUCCESS).writeString(id.toString()).writeString(name);
    }

    @Override
    public List<PacketWriter> spawn(int entityId, int maxPlayers) {
        return List.of(
                joinGame(entityId, maxPlayers),
                new PacketWriter(ids.spawnPosition).writeLong((long) SPAWN_Y << 26),
                new PacketWriter(ids.abilities).writeByte(INVULNERABLE_FLYING).writeFloat(0.05f).writeFloat(0.1f),
                new PacketWriter(ids.health).writeFloat(20).writeVarInt(20).writeFloat(5),
                position());
    }

    private PacketWriter joinGame(int entityId, int maxPlayers) {
        PacketWriter packet = new PacketWriter(ids.joinGame).writeInt(entityId).writeByte(CREATIVE);
        if (wide) {
            packet.writeInt(OVERWORLD);
        } else {
            packet.writeByte(OVERWORLD);
        }
        return packet.writeByte(PEACEFUL).writeByte(Math.min(maxPlayers, 255)).writeString("flat").writeBoolean(false);
    }

    private PacketWriter position() {
        PacketWriter packet = new PacketWriter(ids.position)
                .writeDouble(0).writeDouble(SPAWN_Y).writeDouble(0).writeFloat(0).writeFloat(0).writeByte(0);
        return wide ? packet.writeVarInt(1) : packet;
    }

    @Override
    public PacketWriter chat(Text line, Sender sender) {
        return new PacketWriter(ids.chat).writeString(line.toJson()).writeByte(sender == Sender.PLAYER ? 0 : 1);
    }

    @Override
    public PacketWriter keepAlive(int id) {
        PacketWriter packet = new PacketWriter(ids.keepAlive);
        return wide ? packet.writeLong(id) : packet.writeVarInt(id);
    }

    @Override
    public PacketWriter disconnect(Text reason) {
        return new PacketWriter(ids.disconnect).writeString(reason.toJson());
    }

    @Override
    public OptionalInt keepAliveAnswer(int packetId, PacketReader body) throws MalformedPacketException {
        if (packetId != ids.keepAliveFromClient) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(wide ? (int) body.readLong() : body.readVarInt());
    }

    @Override
    public Optional<String> typed(int packetId, PacketReader body) throws MalformedPacketException {
        return packetId == ids.chatFromClient ? Optional.of(body.readString(MAX_CHAT_CHARS)) : Optional.empty();
    }
}
