package overworld.practice;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import overworld.practice.protocol.ConfigurationPackets;
import overworld.practice.protocol.ProtocolVersion;

/** The login phase in offline mode: the player's name is accepted without authentication. */
final class Login implements PacketHandler {
    private static final int MAX_PACKET_BYTES = 256;
    private static final int MAX_NAME_CHARS = 16;
    private static final int ID_BYTES = 16;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,16}");
    private static final int LOGIN_DISCONNECT = 0x00;
    private static final int LOGIN_START = 0x00;
    private static final int LOGIN_ACKNOWLEDGED = 0x03;

    private final Connection connection;
    private final ProtocolVersion version;
    private final PlayerList players;
    private final PhaseDeadline deadline;
    private UUID forwardedId;
    /**
     * The player whose client must acknowledge the login; null until the login is accepted, and always null for
     * versions without this acknowledgement.
     */
    private Profile accepted;

    Login(Connection connection, ProtocolVersion version, PlayerList players, PhaseDeadline deadline) {
        this.connection = connection;
        this.version = version;
        this.players = players;
        this.deadline = deadline;
    }

    /** Sets the player's id as reported by a proxy. */
    void setId(UUID id) {
        forwardedId = id;
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        if (accepted != null && packetId == LOGIN_ACKNOWLEDGED) {
            body.expectEnd();
            Configuration configuration = new Configuration(connection, version, players, deadline, accepted);
            connection.setHandler(configuration);
            configuration.begin();
        } else if (accepted == null && packetId == LOGIN_START) {
            String name = body.readString(MAX_NAME_CHARS);
            if (version.packets.hasConfiguration()) {
                body.skip(ID_BYTES);
            }
            body.expectEnd();
            login(name);
        } else {
            throw new MalformedPacketException("expected the player's name, then the acknowledgement of the login");
        }
    }

    private void login(String name) {
        if (!NAME.matcher(name).matches()) {
            connection.disconnect("Invalid name: use 1 to 16 letters, digits and underscores");
            return;
        }
        Optional<String> refusal = players.makeRoomFor(name);
        if (refusal.isPresent()) {
            Log.info(name + " (" + connection.address() + ") refused: " + refusal.get());
            connection.disconnect(refusal.get());
            return;
        }
        UUID id = forwardedId == null ? offlineId(name) : forwardedId;
        connection.send(version.packets.loginSuccess(id, name));
        Log.info("UUID of player " + name + " is " + id);
        Profile profile = new Profile(name, id);
        if (version.packets.hasConfiguration()) {
            accepted = profile;
        } else {
            new Play(connection, version, players, profile).join();
        }
    }

    /** Returns the player id that every server in offline mode derives from a player's name. */
    private static UUID offlineId(String name) {
        return UUID.nameUUIDFromBytes(("OfflinePlayer:" + name).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void tick(long nowMs) {
        deadline.check(nowMs);
    }

    @Override
    public void sayGoodbye(String reason) {
        // A client whose login was accepted is already in the configuration phase, before its acknowledgement
        // arrives.
        connection.send(accepted == null ? new PacketWriter(LOGIN_DISCONNECT).writeString(Json.chat(reason))
                : ConfigurationPackets.disconnect(Text.of(reason)));
    }

    @Override
    public void closed(String reason) {
        // No player has joined yet.
    }
}
