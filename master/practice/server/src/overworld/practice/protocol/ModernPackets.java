package overworld.practice.protocol;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import overworld.practice.MalformedPacketException;
import overworld.practice.NbtText;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;
import overworld.practice.Text;

/** Packets of Minecraft 26.1 during the game. The packets before it are in {@link ConfigurationPackets}. */
final class ModernPackets implements GamePackets {
    private static final int LOGIN_SUCCESS = 0x02;

    private static final int CHUNK_BATCH_FINISHED = 0x0b;
    private static final int CHUNK_BATCH_START = 0x0c;
    private static final int DISCONNECT = 0x20;
    private static final int GAME_EVENT = 0x26;
    private static final int KEEP_ALIVE = 0x2c;
    private static final int CHUNK = 0x2d;
    private static final int JOIN_GAME = 0x31;
    private static final int ABILITIES = 0x40;
    private static final int POSITION = 0x48;
    private static final int SPAWN_POSITION = 0x61;
    private static final int TIME = 0x71;
    private static final int SYSTEM_CHAT = 0x79;

    private static final int COMMAND_FROM_CLIENT = 0x07;
    private static final int SIGNED_COMMAND_FROM_CLIENT = 0x08;
    private static final int CHAT_FROM_CLIENT = 0x09;
    private static final int KEEP_ALIVE_FROM_CLIENT = 0x1c;

    private static final int MAX_CHAT_CHARS = 256;
    private static final String OVERWORLD = "minecraft:overworld";
    private static final int CREATIVE = 1;
    private static final int NO_PREVIOUS_MODE = -1;
    private static final int INVULNERABLE_FLYING = 0x01 | 0x02 | 0x04;
    /** Distance within which a client expects chunks (chunks). This is the smallest possible value. */
    private static final int VIEW_DISTANCE = 2;
    private static final int SEA_LEVEL = 63;
    /**
     * Height at which players appear. It is above the overworld's highest block (319). At such a height, a client
     * shows the world without first drawing the blocks around its player.
     */
    private static final int SPAWN_Y = 400;
    /** Number of sections of 16 blocks between the overworld's lowest and highest block (-64 to 319). */
    private static final int SECTIONS = 24;
    private static final int CHUNKS_FOLLOW = 13;
    private static final int NOON = 6_000;
    private static final int AIR = 0;

    private final Registries registries;

    ModernPackets(Registries registries) {
        this.registries = registries;
    }

    @Override
    public boolean hasConfiguration() {
        return true;
    }

    @Override
    public PacketWriter loginSuccess(UUID id, String name) {
        return new PacketWriter(LOGIN_SUCCESS).writeId(id).writeString(name).writeVarInt(0);
    }

    @Override
    public List<PacketWriter> spawn(int entityId, int maxPlayers) {
        return List.of(
                joinGame(entityId, maxPlayers),
                new PacketWriter(ABILITIES).writeByte(INVULNERABLE_FLYING).writeFloat(0.05f).writeFloat(0.1f),
                new PacketWriter(SPAWN_POSITION).writeString(OVERWORLD).writeLong(SPAWN_Y).writeFloat(0).writeFloat(0),
                time(),
                position(),
                new PacketWriter(GAME_EVENT).writeByte(CHUNKS_FOLLOW).writeFloat(0),
                new PacketWriter(CHUNK_BATCH_START),
                emptyChunk(),
                new PacketWriter(CHUNK_BATCH_FINISHED).writeVarInt(1));
    }

    private PacketWriter joinGame(int entityId, int maxPlayers) {
        boolean hardcore = false;
        boolean shortDebugInfo = false;
        boolean respawnScreen = false;
        boolean limitedCrafting = false;
        boolean debugWorld = false;
        boolean flatWorld = true;
        boolean diedBefore = false;
        boolean signedChatOnly = false;
        return new PacketWriter(JOIN_GAME).writeInt(entityId).writeBoolean(hardcore)
                .writeVarInt(1).writeString(OVERWORLD)
                .writeVarInt(maxPlayers).writeVarInt(VIEW_DISTANCE).writeVarInt(VIEW_DISTANCE)
                .writeBoolean(shortDebugInfo).writeBoolean(respawnScreen).writeBoolean(limitedCrafting)
                .writeVarInt(registries.indexOf("dimension_type", "overworld")).writeString(OVERWORLD)
                .writeLong(0).writeByte(CREATIVE).writeByte(NO_PREVIOUS_MODE)
                .writeBoolean(debugWorld).writeBoolean(flatWorld).writeBoolean(diedBefore)
                .writeVarInt(0).writeVarInt(SEA_LEVEL).writeBoolean(signedChatOnly);
    }

    /** Returns the packet with the time of day. The clock stands still. */
    private PacketWriter time() {
        return new PacketWriter(TIME).writeLong(0).writeVarInt(1)
                .writeVarInt(registries.indexOf("world_clock", "overworld")).writeVarInt(NOON)
                .writeFloat(0).writeFloat(0);
    }

    private static PacketWriter position() {
        return new PacketWriter(POSITION).writeVarInt(1)
                .writeDouble(0).writeDouble(SPAWN_Y).writeDouble(0)
                .writeDouble(0).writeDouble(0).writeDouble(0)
                .writeFloat(0).writeFloat(0).writeInt(0);
    }

    /** Returns the chunk below the players, with nothing but air. */
    private PacketWriter emptyChunk() {
        int plains = registries.indexOf("worldgen/biome", "plains");
        PacketWriter sections = PacketWriter.withoutId();
        for (int i = 0; i < SECTIONS; i++) {
            // Numbers of blocks and of fluids; then blocks and biomes, each as a palette of 0 bits with one entry.
            sections.writeShort(0).writeShort(0).writeByte(0).writeVarInt(AIR).writeByte(0).writeVarInt(plains);
        }
        byte[] data = sections.toBytes();
        PacketWriter chunk = new PacketWriter(CHUNK).writeInt(0).writeInt(0);
        int heightmaps = 0;
        chunk.writeVarInt(heightmaps).writeVarInt(data.length).writeBytes(data);
        int blockEntities = 0;
        chunk.writeVarInt(blockEntities);
        // Light of the sky and of blocks: two masks of sections with light, two of sections without, and the light.
        for (int i = 0; i < 6; i++) {
            chunk.writeVarInt(0);
        }
        return chunk;
    }

    @Override
    public PacketWriter chat(Text line, Sender sender) {
        // All lines are sent as lines of the system, because only such lines need no signature of a player.
        PacketWriter packet = new PacketWriter(SYSTEM_CHAT);
        NbtText.write(line, packet);
        boolean aboveHotbar = false;
        return packet.writeBoolean(aboveHotbar);
    }

    @Override
    public PacketWriter keepAlive(int id) {
        return new PacketWriter(KEEP_ALIVE).writeLong(id);
    }

    @Override
    public PacketWriter disconnect(Text reason) {
        PacketWriter packet = new PacketWriter(DISCONNECT);
        NbtText.write(reason, packet);
        return packet;
    }

    @Override
    public OptionalInt keepAliveAnswer(int packetId, PacketReader body) throws MalformedPacketException {
        return packetId == KEEP_ALIVE_FROM_CLIENT ? OptionalInt.of((int) body.readLong()) : OptionalInt.empty();
    }

    @Override
    public Optional<String> typed(int packetId, PacketReader body) throws MalformedPacketException {
        switch (packetId) {
            case CHAT_FROM_CLIENT:
                return Optional.of(body.readString(MAX_CHAT_CHARS));
            case COMMAND_FROM_CLIENT:
            case SIGNED_COMMAND_FROM_CLIENT:
                return Optional.of("/" + body.readString(MAX_CHAT_CHARS));
            default:
                return Optional.empty();
        }
    }
}
