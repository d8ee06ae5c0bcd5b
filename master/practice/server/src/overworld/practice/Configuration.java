package overworld.practice;

import overworld.practice.protocol.ConfigurationPackets;
import overworld.practice.protocol.ProtocolVersion;

/**
 * The phase between login and game, in which the server tells newer clients about registries. The server sends only
 * the names of the entries, because each client has the entries in its own data pack.
 */
final class Configuration implements PacketHandler {
    /** Maximum size of a packet (bytes). A client's custom payload may have 32,767 bytes. */
    private static final int MAX_PACKET_BYTES = 33_000;

    private final Connection connection;
    private final ProtocolVersion version;
    private final PlayerList players;
    private final PhaseDeadline deadline;
    private final Profile profile;
    private boolean isFinishing;

    Configuration(Connection connection, ProtocolVersion version, PlayerList players, PhaseDeadline deadline,
            Profile profile) {
        this.connection = connection;
        this.version = version;
        this.players = players;
        this.deadline = deadline;
        this.profile = profile;
    }

    void begin() {
        ConfigurationPackets.begin().forEach(connection::send);
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        if (packetId == ConfigurationPackets.KNOWN_PACKS_FROM_CLIENT && !isFinishing) {
            isFinishing = true;
            ConfigurationPackets.finish().forEach(connection::send);
        } else if (packetId == ConfigurationPackets.FINISHED_FROM_CLIENT && isFinishing) {
            new Play(connection, version, players, profile).join();
        } else if (packetId == ConfigurationPackets.KNOWN_PACKS_FROM_CLIENT
                || packetId == ConfigurationPackets.FINISHED_FROM_CLIENT) {
            throw new MalformedPacketException("the configuration was not at this step");
        }
        // Packets such as settings and the client's brand have no effect here.
    }

    @Override
    public void tick(long nowMs) {
        deadline.check(nowMs);
    }

    @Override
    public void sayGoodbye(String reason) {
        connection.send(ConfigurationPackets.disconnect(Text.of(reason)));
    }

    @Override
    public void closed(String reason) {
        // The player has not joined yet.
    }
}
