package overworld.practice;

import java.util.Optional;
import overworld.practice.protocol.ProtocolVersion;

/** Handles a client's first packet: its protocol version, and whether it requests the status or logs in. */
final class Handshake implements PacketHandler {
    /**
     * Maximum length of the host name (characters). It is large because a proxy appends the player's address, id
     * and skin (legacy forwarding).
     */
    private static final int MAX_HOST_CHARS = 8_192;
    private static final int MAX_PACKET_BYTES = 3 * MAX_HOST_CHARS + 16;
    private static final int WANTS_STATUS = 1;
    private static final int WANTS_LOGIN = 2;
    private static final int WANTS_TRANSFER = 3;

    private final Connection connection;
    private final PlayerList players;
    private final ServerProperties properties;
    private final PhaseDeadline deadline;

    Handshake(Connection connection, PlayerList players, ServerProperties properties) {
        this.connection = connection;
        this.players = players;
        this.properties = properties;
        this.deadline = new PhaseDeadline(connection, properties.timeoutMs());
    }

    @Override
    public int maxPacketBytes() {
        return MAX_PACKET_BYTES;
    }

    @Override
    public void handle(int packetId, PacketReader body) throws MalformedPacketException {
        if (packetId != 0x00) {
            throw new MalformedPacketException("expected a handshake");
        }
        int protocol = body.readVarInt();
        String host = body.readString(MAX_HOST_CHARS);
        body.readUnsignedShort();
        int wants = body.readVarInt();
        body.expectEnd();
        if (wants == WANTS_STATUS && !properties.answersStatus()) {
            connection.disconnect("Status is switched off");
        } else if (wants == WANTS_STATUS) {
            connection.setHandler(new StatusResponder(connection, deadline, statusFor(protocol)));
        } else if (wants == WANTS_LOGIN || wants == WANTS_TRANSFER) {
            beginLogin(protocol, host);
        } else {
            throw new MalformedPacketException("unknown next state");
        }
    }

    private void beginLogin(int protocol, String host) {
        Optional<ProtocolVersion> version = ProtocolVersion.ofNumber(protocol);
        Login login = new Login(connection, version.orElse(ProtocolVersion.newest()), players, deadline);
        connection.setHandler(login);
        if (version.isEmpty()) {
            String reason = "Unsupported version: this Overworld practice server speaks Minecraft "
                    + ProtocolVersion.titles() + ", your client has protocol " + protocol + ".";
            Log.info(connection.address() + " refused: " + reason);
            connection.disconnect(reason);
        } else if (properties.isBehindProxy()) {
            takeFromProxy(login, host);
        }
    }

    private void takeFromProxy(Login login, String host) {
        Optional<Forwarded> forwarded = Forwarded.in(host);
        if (forwarded.isPresent()) {
            connection.setClientAddress(forwarded.get().address);
            login.setId(forwarded.get().id);
        } else {
            Log.info(connection.address() + " refused: it does not come from a proxy with ip_forward");
            connection.disconnect("This server is joined by the network's proxies only (settings.bungeecord in "
                    + "spigot.yml).");
        }
    }

    private String statusFor(int protocol) {
        int answered = ProtocolVersion.ofNumber(protocol).orElse(ProtocolVersion.newest()).number;
        return "{\"version\":{\"name\":" + Json.quote("Overworld practice " + ProtocolVersion.titles())
                + ",\"protocol\":" + answered + "},\"players\":" + players.toStatusJson() + ",\"description\":"
                + Json.chat(properties.motd()) + "}";
    }

    @Override
    public void tick(long nowMs) {
        deadline.check(nowMs);
    }

    @Override
    public void sayGoodbye(String reason) {
        // In this phase the protocol has no packet with which a reason could be sent.
    }

    @Override
    public void closed(String reason) {
        // No player has joined yet.
    }
}
