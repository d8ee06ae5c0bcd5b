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

/** Somebody who has connected: asks for the status, or logs in and is a {@link Player} from then on. */
final class Client implements Wire.Owner {
    private static final int MAX_HOST_CHARS = 1_024;
    private static final int MAX_EARLY_PACKET_BYTES = 4_096;
    private static final int MAX_NAME_CHARS = 16;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]{1,16}");
    private static final int WANTS_STATUS = 1;
    private static final int WANTS_LOGIN = 2;
    private static final int WANTS_TRANSFER = 3;
    private static final int LOGIN_DISCONNECT = 0x00;
    /** A server that hangs asks nobody to answer: that it is silent must be noticed before its players are. */
    private static final int PLAYER_EXTRA_MS = 15_000;

    private enum Phase { HANDSHAKE, STATUS, STATUS_ANSWERED, LOGIN, ADMISSION, PLAYER }

    private final Wire wire;
    private final Proxy proxy;
    private final long startedAtMs = Clock.nowMs();
    private Phase phase = Phase.HANDSHAKE;
    private Player player;
    private UUID waiting;
    /** From the handshake: version, and where the player wanted to go. */
    int protocol;
    String host;
    int port;
    /** The packet in which the player says its name, for the game servers. */
    byte[] loginStart;

    Client(Wire wire, Proxy proxy) {
        this.wire = wire;
        this.proxy = proxy;
    }

    /** The player's own address, without port. */
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
        // Offline mode: the id that every server gives to this name.
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

    /** Sends somebody away who has not been let into a game server yet. */
    void refuse(String why) {
        if (phase != Phase.HANDSHAKE && phase != Phase.STATUS && phase != Phase.STATUS_ANSWERED) {
            wire.send(new PacketWriter(LOGIN_DISCONNECT).writeString(Json.chat(why)).toPacket());
        }
        wire.finish();
    }

    void send(ByteBuffer packet) {
        wire.send(packet);
    }

    /** Lets what was sent arrive, then closes. */
    void finish() {
        wire.finish();
    }

    /** Reads no more of the player for now, or goes on. */
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
