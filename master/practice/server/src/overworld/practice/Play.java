package overworld.practice;

/**
 * One player in the game: spawns the player, sends keep-alives, handles chat, and removes the player. There is no
 * world; the player floats in the void.
 */
final class Play implements PacketHandler {
    /**
     * Maximum size of a packet (bytes). A client's custom payload may have 32,767 bytes; all other packets are
     * smaller.
     */
    private static final int MAX_PACKET_BYTES = 33_000;
    private static final int MAX_CHAT_CHARS = 256;
    private static final long KEEP_ALIVE_EVERY_MS = 10_000;

    private static final int CREATIVE = 1;
    private static final int OVERWORLD = 0;
    private static final int PEACEFUL = 0;
    private static final int INVULNERABLE_FLYING = 0x01 | 0x02 | 0x04;
    private static final int SPAWN_Y = 64;
    private static final int FROM_PLAYER = 0;
    private static final int FROM_SYSTEM = 1;

    private final Connection connection;
    private final ProtocolVersion version;
    private final PlayerList players;
    private final Profile profile;
    private boolean inGame;
    private long keepAliveAtMs = Clock.nowMs();
    private int keepAliveId;
    private boolean keepAliveAnswered = true;

    Play(Connection connection, ProtocolVersion version, PlayerList players, Profile profile) {
        this.connection = connection;
        this.version = version;
        this.players = players;
        this.profile = profile;
    }

    Profile profile() {
        return profile;
    }

    /** Spawns the player and announces the join to all players. */
    void join() {
        if (connection.isEnding()) {
            return;
        }
        int entityId = players.add(this);
        inGame = true;
        sendJoinGame(entityId);
        connection.send(new PacketWriter(version.toClient.spawnPosition).writeLong((long) SPAWN_Y << 26));
        connection.send(new PacketWriter(version.toClient.abilities)
                .writeByte(INVULNERABLE_FLYING).writeFloat(0.05f).writeFloat(0.1f));
        connection.send(new PacketWriter(version.toClient.health).writeFloat(20).writeVarInt(20).writeFloat(5));
        sendPosition();
        Log.info(profile.name + "[" + connection.address() + "] logged in with entity id " + entityId + ", Minecraft "
                + version.title);
        players.announce(profile.name + " joined the game");
    }

    private void sendJoinGame(int entityId) {
        PacketWriter packet = new PacketWriter(version.toClient.joinGame).writeInt(entityId).writeByte(CREATIVE);
        if (version == ProtocolVersion.V1_8) {
            packet.writeByte(OVERWORLD);
        } else {
            packet.writeInt(OVERWORLD);
        }
        packet.writeByte(PEACEFUL).writeByte(Math.min(players.max(), 255)).writeString("flat").writeBoolean(false);
        connection.send(packet);
    }

    private void sendPosition() {
        PacketWriter packet = new PacketWriter(version.toClient.position)
                .writeDouble(0).writeDouble(SPAWN_Y).writeDouble(0).writeFloat(0).writeFloat(0).writeByte(0);
        if (version != ProtocolVersion.V1_8) {
            packet.writeVarInt(1);
        }
        connection.send(packet);
    }

    /**
     * Shows the player a line from the server.
     *
     * @param componentJson the line as a chat component
     */
    void tell(String componentJson) {
        sendChat(componentJson, FROM_SYSTEM);
    }

    /**
     * Shows the player what another player said.
     *
     * @param componentJson the line as a chat component
     */
    void hear(String componentJson) {
        sendChat(componentJson, FROM_PLAYER);
    }

    private void sendChat(String componentJson, int position) {
        connection.send(new PacketWriter(version.toClient.chat).writeString(componentJson).writeByte(position));
    }

    void kick(String reason) {
        connection.disconnect(reason);
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        if (packetId == version.keepAliveFromClient) {
            long id = version == ProtocolVersion.V1_8 ? body.readVarInt() : body.readLong();
            keepAliveAnswered |= id == keepAliveId;
        } else if (packetId == version.chatFromClient) {
            heard(body.readString(MAX_CHAT_CHARS).strip());
        }
        // Packets such as movement, settings and animations have no effect here.
    }

    private void heard(String text) {
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '\u00a7')) {
            kick("Illegal characters in chat");
        } else if (text.equals("/list")) {
            tell(Json.chat(players.describe()));
        } else if (text.startsWith("/")) {
            tell(Json.chat("Unknown command. This practice server knows /list.", "red"));
        } else if (!text.isEmpty()) {
            players.chat("<" + profile.name + "> " + text);
        }
    }

    @Override
    public void tick(long nowMs) {
        long sinceMs = nowMs - keepAliveAtMs;
        if (!keepAliveAnswered) {
            if (sinceMs >= players.timeoutMs()) {
                kick("Timed out");
            }
        } else if (sinceMs >= Math.min(KEEP_ALIVE_EVERY_MS, players.timeoutMs())) {
            keepAliveId++;
            keepAliveAtMs = nowMs;
            keepAliveAnswered = false;
            PacketWriter packet = new PacketWriter(version.toClient.keepAlive);
            connection.send(version == ProtocolVersion.V1_8
                    ? packet.writeVarInt(keepAliveId) : packet.writeLong(keepAliveId));
        }
    }

    @Override
    public void sayGoodbye(String reason) {
        connection.send(new PacketWriter(version.toClient.disconnect).writeString(Json.chat(reason)));
    }

    @Override
    public void closed(String reason) {
        if (!inGame) {
            return;
        }
        inGame = false;
        players.remove(this);
        Log.info(profile.name + " lost connection: " + reason);
        players.announce(profile.name + " left the game");
    }
}
