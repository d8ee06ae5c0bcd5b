package overworld.practice.proxy;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import overworld.practice.Clock;
import overworld.practice.Json;
import overworld.practice.Log;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;

/** A connected client. It requests the status, or it logs in and becomes a {@link Player}. */
final class Client implements Wire.Owner {
    private static final int MAX_HOST_CHARS = 1_024;
    private static final int MAX_EARLY_PACKET_BYTES = 4_096;
    private static final int MAX_NAME_CHARS = 16;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,16}");
    private static final int WANTS_STATUS = 1;
    private static final int WANTS_LOGIN = 2;
    private static final int WANTS_TRANSFER = 3;
    private static final int LOGIN_DISCONNECT = 0x00;
    /**
     * Additional time, after the timeout, until a silent player is disconnected (ms). If a game server hangs, its
     * players send no answers to keep-alives, so they are silent, too. The proxy must detect the hanging server
     * first.
     */
    private static final int PLAYER_EXTRA_MS = 15_000;

    private enum Phase { HANDSHAKE, STATUS, STATUS_ANSWERED, LOGIN, ADMISSION, PLAYER }

    private final Wire wire;
    private final Proxy proxy;
    private final long startedAtMs = Clock.nowMs();
    private Phase phase = Phase.HANDSHAKE;
    private Player player;
    private UUID waiting;
    /** Protocol version of the client, and host and port that the player typed, all from the handshake. */
    int protocol;
    String host;
    int port;
    /** The packet with the player's name, as it is sent on to game servers. */
    byte[] loginStart;

    Client(Wire wire, Proxy proxy) {
        this.wire = wire;
        this.proxy = proxy;
    }

    /** Returns the player's own address, without port. */
    String address() {
        InetSocketAddress address = wire.address();
        return address == null ? "unknown" : address.getAddress().getHostAddress();
    }

    @Override
    public int maxPacketBytes() {
        return phase == Phase.PLAYER ? Wire.MAX_PACKET_BYTES : MAX_EARLY_PACKET_BYTES;
    }

    @Override
    public void packet(ByteBuffer packet) throws MalformedPacketException {
        if (phase == Phase.PLAYER) {
            player.fromClient(packet);
            return;
        }
        PacketReader body = new PacketReader(packet.duplicate());
        int id = body.readVarInt();
        if (phase == Phase.HANDSHAKE && id == 0x00) {
            handshake(body);
        } else if (phase == Phase.STATUS && id == 0x00) {
            phase = Phase.STATUS_ANSWERED;
            wire.send(new PacketWriter(0x00).writeString(proxy.statusFor(protocol)).toPacket());
        } else if ((phase == Phase.STATUS || phase == Phase.STATUS_ANSWERED) && id == 0x01) {
            wire.send(new PacketWriter(0x01).writeLong(body.readLong()).toPacket());
            wire.finish();
        } else if (phase == Phase.LOGIN && id == 0x00) {
            loginStart = new byte[packet.remaining()];
            packet.get(loginStart);
            login(body.readString(MAX_NAME_CHARS));
        } else {
            throw new MalformedPacketException("a packet " + id + " that is not expected now");
        }
    }

    private void handshake(PacketReader body) throws MalformedPacketException {
        protocol = body.readVarInt();
        host = body.readString(MAX_HOST_CHARS);
        port = body.readUnsignedShort();
        int wants = body.readVarInt();
        if (wants == WANTS_STATUS) {
            phase = Phase.STATUS;
        } else if (wants == WANTS_LOGIN || wants == WANTS_TRANSFER) {
            phase = Phase.LOGIN;
        } else {
            throw new MalformedPacketException("unknown next state");
        }
    }

    private void login(String name) {
        if (!NAME.matcher(name).matches()) {
            refuse("Invalid name: use 1 to 16 letters, digits and underscores");
            return;
        }
        // Offline mode: every server derives the same id from a name.
        UUID id = UUID.nameUUIDFromBytes(("OfflinePlayer:" + name).getBytes(StandardCharsets.UTF_8));
        phase = Phase.ADMISSION;
        proxy.players.find(id).ifPresent(twin -> twin.kick("You logged in from another location"));
        waiting = id;
        proxy.gate().login(id, name).thenAccept(refusal -> proxy.loop.execute(() -> admitted(id, name, refusal)));
    }

    private void admitted(UUID id, String name, Optional<String> refusal) {
        if (refusal.isPresent()) {
            waiting = null;
            Log.info(name + " (" + address() + ") refused: " + refusal.get());
            refuse(refusal.get());
        } else if (waiting == null || !wire.isOpen()) {
            proxy.gate().loginEnded(id);
        } else {
            waiting = null;
            player = new Player(this, proxy, id, name);
            phase = Phase.PLAYER;
            player.start();
        }
    }

    /** Disconnects a client that is not on a game server yet, with a reason. */
    void refuse(String why) {
        if (phase != Phase.HANDSHAKE && phase != Phase.STATUS && phase != Phase.STATUS_ANSWERED) {
            wire.send(new PacketWriter(LOGIN_DISCONNECT).writeString(Json.chat(why)).toPacket());
        }
        wire.finish();
    }

    void send(ByteBuffer packet) {
        wire.send(packet);
    }

    /** Closes the connection after all pending data was sent. */
    void finish() {
        wire.finish();
    }

    /**
     * Stops reading from the player, or continues.
     *
     * @param now whether to stop
     */
    void pause(boolean now) {
        wire.pause(now);
    }

    @Override
    public void congested(boolean now) {
        if (player != null) {
            player.clientCongested(now);
        }
    }

    @Override
    public void malformed(String why) {
        if (phase == Phase.PLAYER) {
            player.kick("Malformed packet: " + why);
        } else {
            Log.warn(address() + " refused: " + why);
            refuse(why);
        }
    }

    @Override
    public void tick(long nowMs) {
        int limitMs = proxy.config.timeoutMs;
        if (phase == Phase.PLAYER) {
            if (nowMs - wire.heardAtMs() >= limitMs + PLAYER_EXTRA_MS) {
                player.kick("Timed out");
            }
        } else if (nowMs - startedAtMs >= limitMs) {
            refuse("Took too long to log in");
        }
    }

    @Override
    public void lost(String why) {
        waiting = null;
        if (player != null) {
            player.gone(why);
        }
    }
}
